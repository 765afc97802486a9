import type { Dataset } from '../../catalog/dataset.ts'
import { addDays, taipei } from '../core/clock.ts'
import type { Closed } from './calendar.ts'
import type { Stand } from './platform/stand.ts'
import type { Release } from './release.ts'

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

/** What `/v2/datasets/{dataset}/freshness` answers. */
export function freshnessView({ dataset, release }: Stand, now: Date, closed: Closed) {
  const daily = dataset.cadence.every === 'trading_day'
  const newest = daily ? newestExpected(dataset, now, closed) : null
  return {
    dataset: dataset.id,
    freshness_state: freshnessState({ dataset, release }, now, closed),
    freshness_as_of: release?.manifest.data_as_of ?? null,
    last_published_at: release?.manifest.published_at ?? null,
    cadence: dataset.cadence.every,
    expected_at: newest === null ? null : timeOf(dataset, newest),
    next_expected_at: newest === null ? null : timeOf(dataset, nextOpen(newest, closed)),
    lag_days: newest === null || !release ? null : lagDays(release, newest, closed),
    release_version: release?.id ?? null,
  }
}

const expectedAt = ({ cadence }: Dataset): string => cadence.expectedAt ?? '23:59'
const timeOf = (dataset: Dataset, day: string): string => `${day}T${expectedAt(dataset)}:00+08:00`

/** The newest trading day whose data should be out at that moment. */
function newestExpected(dataset: Dataset, at: Date, closed: Closed): string {
  const [today, time] = [taipei(at).slice(0, 10), taipei(at).slice(11, 16)]
  let day = time >= expectedAt(dataset) ? today : addDays(today, -1)
  for (let step = 0; step < LONGEST_CLOSURE && closed(day); step++) day = addDays(day, -1)
  return day
}

function nextOpen(after: string, closed: Closed): string {
  let day = addDays(after, 1)
  for (let step = 0; step < LONGEST_CLOSURE && closed(day); step++) day = addDays(day, 1)
  return day
}

/** Trading days that should be there and are not. */
function lagDays({ manifest }: Release, newest: string, closed: Closed): number {
  let missing = 0
  for (let day = newest; day > manifest.data_as_of && missing < 10_000; day = addDays(day, -1)) if (!closed(day)) missing++
  return missing
}
