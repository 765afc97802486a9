import { signal } from '@preact/signals'
import { PERIODS, type Period } from '../../parts/periods.ts'
import { isoDay } from '../../parts/time.ts'

export const RANGES = ['1M', '6M', '1Y', '3Y', 'all'] as const
export type Range = (typeof RANGES)[number]

const MONTHS: Readonly<Record<Range, number>> = { '1M': 1, '6M': 6, '1Y': 12, '3Y': 36, all: Number.POSITIVE_INFINITY }

/** Groups of institutional investors. `total` is the sum of the others. */
export const INVESTORS = ['total', 'foreign', 'trust', 'dealer'] as const
export type Investor = (typeof INVESTORS)[number]

/** Settings of the page, stored in the address. */
export interface View {
  readonly range: Range
  readonly bars: Period
  /** False shows prices as traded. */
  readonly adjusted: boolean
  /** True for a logarithmic price axis. */
  readonly log: boolean
  readonly averages: boolean
  readonly investor: Investor
}

const USUAL: View = { range: '1Y', bars: 'day', adjusted: true, log: false, averages: true, investor: 'total' }

function inAddress(): View {
  const query = new URLSearchParams(location.search)
  const one = <T extends string>(name: string, values: readonly T[], usual: T): T =>
    values.find(value => value === query.get(name)) ?? usual
  const flag = (name: 'adjusted' | 'log' | 'averages'): boolean => (query.has(name) ? query.get(name) === '1' : USUAL[name])
  return {
    range: one('range', RANGES, USUAL.range),
    bars: one('bars', PERIODS, USUAL.bars),
    adjusted: flag('adjusted'),
    log: flag('log'),
    averages: flag('averages'),
    investor: one('investor', INVESTORS, USUAL.investor),
  }
}

/** The current view. The page's address contains it. */
export const view = signal(inAddress())
addEventListener('popstate', () => {
  view.value = inAddress()
})

export function show(change: Partial<View>): void {
  view.value = { ...view.value, ...change }
  const query = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(view.value))
    if (value === USUAL[name as keyof View]) query.delete(name)
    else query.set(name, typeof value === 'boolean' ? (value ? '1' : '0') : value)
  history.pushState(null, '', `${location.pathname}${query.size > 0 ? `?${query}` : ''}${location.hash}`)
}

/**
 * Returns the first day of a time span, in Taipei. Undefined if the span has no start.
 *
 * @param atLeast shortest time span that is useful for the panel
 */
export function since(range: Range, atLeast: Range = '1M'): string | undefined {
  const months = Math.max(MONTHS[range], MONTHS[atLeast])
  if (!Number.isFinite(months)) return undefined
  const [year, month, day] = isoDay().split('-').map(Number) as [number, number, number]
  // The target month may have fewer days. In this case, its last day is used.
  const last = new Date(Date.UTC(year, month - months, 0)).getUTCDate()
  return new Date(Date.UTC(year, month - 1 - months, Math.min(day, last))).toISOString().slice(0, 10)
}
