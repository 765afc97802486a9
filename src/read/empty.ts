import type { IsClosed } from '../calendar/index.ts'
import { addDays } from '../core/index.ts'
import { dateBounds } from './parts.ts'
import type { ReadPlan } from './plan.ts'

/** Why an answer has no rows. */
export const EMPTY_REASONS = ['no_match', 'outside_coverage', 'not_trading_day', 'not_captured', 'not_built'] as const
export type EmptyReason = (typeof EMPTY_REASONS)[number]

/** Longest window checked day by day; a longer one always contains a trading day. */
const LONGEST_CLOSURE = 14

/** Why a read has no rows, derived from the plan and its release. */
export function emptyReason({ dataset, release, filters, offset }: ReadPlan, isClosed: IsClosed): EmptyReason {
  if (!release) return 'not_built'
  const { first_date: first, last_date: last } = release.manifest.statistics
  const [from, to] = dateBounds(filters, dataset.date)
  if (dataset.date !== undefined && ((from && last && from > last) || (to && first && to < first))) return 'outside_coverage'
  if (
    dataset.cadence.every === 'trading_day' &&
    from &&
    to &&
    allClosed(from, to, day => isClosed(day) && !release.publishedDays.includes(day))
  )
    return 'not_trading_day'
  if (release.publishedDays.length > 0 && !release.publishedDays.some(day => day >= (from ?? '') && day <= (to ?? '9999')))
    return 'not_captured'
  return offset > 0 ? 'no_match' : (dataset.empty ?? 'no_match')
}

function allClosed(from: string, to: string, isClosed: IsClosed): boolean {
  if (from > to) return true
  for (let step = 0, day = from; step < LONGEST_CLOSURE; step++, day = addDays(day, 1)) {
    if (!isClosed(day)) return false
    // There is no day after the last one of 9999.
    if (day === to) return true
  }
  return false
}
