import { signal } from '@preact/signals'

/** Periods of the page, back from today. */
export const RANGES = ['1M', '6M', '1Y', '3Y', 'all'] as const
export type Range = (typeof RANGES)[number]

const MONTHS: Readonly<Record<Range, number>> = { '1M': 1, '6M': 6, '1Y': 12, '3Y': 36, all: Number.POSITIVE_INFINITY }
const USUAL: Range = '1Y'

const inAddress = () => {
  const query = new URLSearchParams(location.search)
  const range = RANGES.find(known => known === query.get('range')) ?? USUAL
  return { range, adjusted: query.get('adjusted') === '1' }
}

/** The view in the page's query: its period, and whether prices are adjusted. */
export const view = signal(inAddress())
addEventListener('popstate', () => {
  view.value = inAddress()
})

/** Changes the view and adds it to the browser's history. */
export function show(change: Partial<ReturnType<typeof inAddress>>): void {
  view.value = { ...view.value, ...change }
  const query = new URLSearchParams(location.search)
  const { range, adjusted } = view.value
  for (const [name, value] of [
    ['range', range === USUAL ? null : range],
    ['adjusted', adjusted ? '1' : null],
  ] as const)
    if (value === null) query.delete(name)
    else query.set(name, value)
  history.pushState(null, '', `${location.pathname}${query.size > 0 ? `?${query}` : ''}${location.hash}`)
}

const TAIPEI = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Asia/Taipei' })

/**
 * First day of a period in Taipei, as a parameter; undefined for all days.
 *
 * @param atLeast the shortest useful period of the panel
 */
export function since(range: Range, atLeast: Range = '1M'): string | undefined {
  const months = Math.max(MONTHS[range], MONTHS[atLeast])
  if (!Number.isFinite(months)) return undefined
  const [year, month, day] = TAIPEI.format(new Date()).split('-').map(Number) as [number, number, number]
  // The last day of a shorter month.
  const last = new Date(Date.UTC(year, month - months, 0)).getUTCDate()
  return new Date(Date.UTC(year, month - 1 - months, Math.min(day, last))).toISOString().slice(0, 10)
}
