import type { IsClosed } from '../calendar/index.ts'
import { addDays } from '../core/index.ts'
import { dateBounds } from './parts.ts'
import type { ReadPlan } from './plan.ts'

/**
 * Why an answer has no rows:
 *
 * - `not_built`: the dataset does not cover this yet
 * - `past_the_end`: rows match, and the offset skips them all
 * - `not_trading_day`: the market was closed on every day asked for, whether or not the dataset reaches it
 * - `outside_coverage`: every day asked for is before the first or after the last one the dataset holds, of whatever key
 * - `not_captured`: nothing was captured for them, which does not mean that there was nothing
 * - `no_match`: what is held of those days has no such row
 */
export const EMPTY_REASONS = ['no_match', 'past_the_end', 'outside_coverage', 'not_trading_day', 'not_captured', 'not_built'] as const
export type EmptyReason = (typeof EMPTY_REASONS)[number]

/** Longest window checked day by day; a longer one always contains a trading day. */
const LONGEST_CLOSURE = 14

/** Why a read has no rows, derived from the plan and its release. */
export function emptyReason(plan: ReadPlan, pastTheEnd: boolean, isClosed: IsClosed): EmptyReason {
  const { dataset, release, filters } = plan
  if (!release) return 'not_built'
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

/** True where no day asked for, by whatever parameter, is among those the release spans. */
function isOutside({ dataset, release, filters }: ReadPlan): boolean {
  const { first_date: first, last_date: last } = release!.manifest.statistics
  if (dataset.date === undefined || first === null || last === null) return false
  const [from, to] = dateBounds(filters, dataset.date)
  const period = filters.find(({ op }) => op === 'period')?.values[0]
  const either = filters.find(({ column, also }) => column === dataset.date && also !== undefined)?.values[0]
  // What a second date column holds is later than the first, and known when it is published.
  const known = release!.manifest.published_at.slice(0, 10)
  return (
    (from !== undefined && from > last) ||
    (to !== undefined && to < first) ||
    (period !== undefined && (lastDayOf(period) < first || firstDayOf(period) > last)) ||
    (either !== undefined && (either < first || (either > last && either > known)))
  )
}

/** @example firstDayOf('2024-Q2') // '2024-04-01' · firstDayOf('2024') // '2024-01-01' */
const firstDayOf = (period: string): string => `${period.slice(0, 4)}-${['01', '04', '07', '10'][quarterOf(period) ?? 0]}-01`

/** A day no later period begins before: quarters end on the 30th or 31st. */
const lastDayOf = (period: string): string => `${period.slice(0, 4)}-${['03', '06', '09', '12'][quarterOf(period) ?? 3]}-31`

/** From 0; undefined for a whole year. */
const quarterOf = (period: string): number | undefined => (period.length > 4 ? Number(period.at(-1)) - 1 : undefined)

function allClosed(from: string, to: string, isClosed: IsClosed): boolean {
  for (let step = 0, day = from; step < LONGEST_CLOSURE; step++, day = addDays(day, 1)) {
    if (!isClosed(day)) return false
    // There is no day after the last one of 9999.
    if (day === to) return true
  }
  return false
}
