import type { IsClosed } from '../calendar/index.ts'
import { addDays } from '../core/index.ts'
import { dateBounds } from './parts.ts'
import type { ReadPlan } from './plan.ts'

/**
 * Reasons for an answer without rows:
 * - `not_built`: no release, or not for the requested days yet
 * - `unknown_symbol`: no served dataset has any of the requested tickers
 * - `past_the_end`: rows match, but the offset skips all of them
 * - `not_trading_day`: the market was closed on every requested day
 * - `outside_coverage`: every requested day is before the first or after the last day of the
 * dataset
 * - `not_captured`: no publication of the source was captured for these days
 * - `no_match`: the dataset covers these days, but no row matches
 */
export const EMPTY_REASONS = [
  'no_match',
  'past_the_end',
  'outside_coverage',
  'not_trading_day',
  'not_captured',
  'not_built',
  'unknown_symbol',
] as const
export type EmptyReason = (typeof EMPTY_REASONS)[number]

/** In days. Every longer range includes a trading day. */
const LONGEST_CLOSURE = 14

export function emptyReason(plan: ReadPlan, pastTheEnd: boolean, isClosed: IsClosed): EmptyReason {
  const { dataset, release, filters } = plan
  if (!release) return 'not_built'
  if (plan.unknown?.isAll) return 'unknown_symbol'
  if (pastTheEnd) return 'past_the_end'
  const [from, to] = dateBounds(filters, dataset.date)
  if (from !== undefined && to !== undefined && from > to) return 'no_match'
  if (
    dataset.cadence.every === 'trading_day' &&
    from &&
    to &&
    allClosed(from, to, day => isClosed(day) && !release.publishedDays.includes(day))
  )
    return 'not_trading_day'
  if (isOutside(plan)) return 'outside_coverage'
  if (release.publishedDays.length > 0 && !release.publishedDays.some(day => day >= (from ?? '') && day <= (to ?? '9999')))
    return 'not_captured'
  return dataset.empty ?? 'no_match'
}

function isOutside({ dataset, release, filters }: ReadPlan): boolean {
  const { first_date: first, last_date: last } = release!.manifest.statistics
  if (dataset.date === undefined || first === null || last === null) return false
  const [from, to] = dateBounds(filters, dataset.date)
  const period = filters.find(({ op }) => op === 'period')?.values[0]
  const eitherDay = filters.find(({ column, also }) => column === dataset.date && also !== undefined)?.values[0]
  // Other date columns may be later than `last_date`, but never later than the publication day.
  const publicationDay = release!.manifest.published_at.slice(0, 10)
  return (
    (from !== undefined && from > last) ||
    (to !== undefined && to < first) ||
    (period !== undefined && (lastDayOf(period) < first || firstDayOf(period) > last)) ||
    (eitherDay !== undefined && (eitherDay < first || (eitherDay > last && eitherDay > publicationDay)))
  )
}

/** @example firstDayOf('2024-Q2') // '2024-04-01' */
const firstDayOf = (period: string): string => `${period.slice(0, 4)}-${['01', '04', '07', '10'][quarterOf(period) ?? 0]}-01`

/** Only for comparisons: the result may be a day that does not exist, such as 06-31. */
const lastDayOf = (period: string): string => `${period.slice(0, 4)}-${['03', '06', '09', '12'][quarterOf(period) ?? 3]}-31`

/** From 0 to 3. Undefined if the period is a whole year. */
const quarterOf = (period: string): number | undefined => (period.length > 4 ? Number(period.at(-1)) - 1 : undefined)

function allClosed(from: string, to: string, isClosed: IsClosed): boolean {
  for (let step = 0, day = from; step < LONGEST_CLOSURE; step++, day = addDays(day, 1)) {
    if (!isClosed(day)) return false
    // 9999-12-31 is the last day that `addDays` supports.
    if (day === to) return true
  }
  return false
}
