import { closedByRule } from '../../catalog/calendar.ts'
import type { Dataset } from '../../catalog/dataset.ts'
import { addDays, taipei } from '../core/clock.ts'
import type { Release } from './release.ts'

export type FreshnessState = 'fresh' | 'due' | 'late' | 'static' | 'building'

/**
 * fresh holds the newest day that should be out · due that day's data is expected but its time was under a day ago · late it is
 * overdue · static changes only when its source does · building never published. Days the rules know to be closed do not count.
 */
export function freshnessOf({ cadence }: Dataset, release: Release | null, now: Date): FreshnessState {
  if (!release) return 'building'
  if (cadence.every !== 'trading_day') return 'static'
  const asOf = release.manifest.data_as_of
  const newest = newestExpected(now, cadence.expectedAt ?? '23:59')
  if (asOf >= newest) return 'fresh'
  return asOf >= newestExpected(new Date(now.getTime() - 86_400_000), cadence.expectedAt ?? '23:59') ? 'due' : 'late'
}

/** The newest trading day whose data should be out at that instant. */
function newestExpected(at: Date, expectedAt: string): string {
  const [today, time] = [taipei(at).slice(0, 10), taipei(at).slice(11, 16)]
  let day = time >= expectedAt ? today : addDays(today, -1)
  while (closedByRule(day)) day = addDays(day, -1)
  return day
}
