import type { Dataset } from '../../catalog/dataset.ts'
import { addDays, taipei } from '../core/clock.ts'
import type { Closed } from './calendar.ts'
import type { Stand } from './stand.ts'

export type FreshnessState = 'fresh' | 'due' | 'late' | 'static' | 'building'

/** Hours after its expected time before a missing day is late and not merely due. */
const PATIENCE_MS = 12 * 3_600_000
/** A shutdown longer than this is not a holiday. */
const LONGEST_CLOSURE = 30

/**
 * fresh holds the newest trading day that should be out · due that day is expected and not yet twelve hours overdue · late it is ·
 * static changes only when its source does · building never published.
 */
export function freshnessState({ dataset, release }: Stand, now: Date, closed: Closed): FreshnessState {
  if (!release) return 'building'
  if (dataset.cadence.every !== 'trading_day') return 'static'
  const asOf = release.manifest.data_as_of
  if (asOf >= newestExpected(dataset, now, closed)) return 'fresh'
  return asOf >= newestExpected(dataset, new Date(now.getTime() - PATIENCE_MS), closed) ? 'due' : 'late'
}

const expectedAt = ({ cadence }: Dataset): string => cadence.expectedAt ?? '23:59'

/** The newest trading day whose data should be out at that moment. */
function newestExpected(dataset: Dataset, at: Date, closed: Closed): string {
  const now = taipei(at)
  const [today, time] = [now.slice(0, 10), now.slice(11, 16)]
  let day = time >= expectedAt(dataset) ? today : addDays(today, -1)
  for (let step = 0; step < LONGEST_CLOSURE && closed(day); step++) day = addDays(day, -1)
  return day
}
