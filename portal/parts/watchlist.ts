import { signal } from '@preact/signals'

const KEY = 'watchlist'
const MOST = 50

function stored(): readonly string[] {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(list) ? list.filter(ticker => typeof ticker === 'string') : []
  } catch {
    return []
  }
}

/** Tickers of the watchlist, newest first. They are stored only in this browser. */
export const watchlist = signal<readonly string[]>(stored())

export function toggleWatched(ticker: string): void {
  const others = watchlist.value.filter(one => one !== ticker)
  watchlist.value = others.length < watchlist.value.length ? others : [ticker, ...others].slice(0, MOST)
  try {
    localStorage.setItem(KEY, JSON.stringify(watchlist.value))
  } catch {
    // Storage may be full or forbidden. The list is then lost when the page closes.
  }
}
