import { type Signal, useComputed } from '@preact/signals'
import { useCatalog } from './catalog.ts'
import { useReads } from './reads.ts'

/** Returns the words in a `meta` element that the server writes. Empty without such an element. */
const wordsIn = (name: string): readonly string[] =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content.split(' ') ?? []

/** Last days of the page's datasets, keyed by slug. */
const LAST_DAYS: ReadonlyMap<string, string> = new Map(wordsIn('last-days').map(word => word.split('=') as [string, string]))

/** Newest trading days, oldest first. */
const TRADING_DAYS = wordsIn('trading-days')

/**
 * Returns the last day of a dataset. While the catalog is loading, returns the day that the server
 * wrote into the page, so that the page requests its rows without waiting for the catalog. Null if
 * the day is not known yet, or if the dataset has no days.
 */
export function useLastDay(slug: string): Signal<string | null> {
  const catalog = useCatalog()
  return useComputed(() => {
    const { value } = catalog.value
    return (value === null ? LAST_DAYS.get(slug) : value.find(one => one.slug === slug)?.last_date) ?? null
  })
}

/** Maximum number of days in a day picker, about two years of trading. */
const MOST_DAYS = 500

/**
 * Returns the trading days of TWSE up to `until`, oldest first. While they are loading, returns
 * only the newest days, which the server wrote into the page.
 */
export function useTradingDays(until: string | null): Signal<readonly string[]> {
  const query = { market: 'TWSE', is_open: true, end_date: until, columns: 'date', limit: MOST_DAYS }
  const reading = useReads(until === null ? null : [{ slug: 'trading-calendar', query }])
  return useComputed(() => {
    const [answer] = reading.value.answers
    if (answer?.ok) return answer.rows.rows.map(({ date }) => String(date)).reverse()
    return until === null ? [] : TRADING_DAYS.filter(day => day <= until)
  })
}
