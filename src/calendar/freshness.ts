import type { Dataset } from '../../catalog/index.ts'
import { DAY_MS, taipei } from '../core/index.ts'
import { type DatasetState, type Release, warningLabels } from '../releases/index.ts'
import type { IsClosed } from './calendar.ts'
import { type Issue, type Issues, issuesOf, type Timed } from './issues.ts'

export const FRESHNESS_STATES = ['fresh', 'due', 'late', 'static', 'building'] as const
export type FreshnessState = (typeof FRESHNESS_STATES)[number]

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

/** Minutes since 1970. Data is due, and turns late, on whole minutes: within one nothing changes by itself. */
export const minuteOf = (now: Date): number => Math.floor(now.getTime() / MINUTE_MS)

/** What every read asks, kept for the minute. */
const states = new WeakMap<Release, { readonly minute: number; readonly closed: IsClosed; readonly state: FreshnessState }>()

/** Hours after its expected time before missing data is late and not merely due. */
const PATIENCE = { trading_day: 12, week: 48, month: 72, quarter: 72 } as const

/**
 * fresh holds everything that should be out · due the newest is expected and overdue by less than the patience of its cadence · late it is
 * overdue by more, or what was published is damaged and something older served · static changes only when its source does · building never
 * published.
 */
export function freshnessState({ dataset: { cadence }, release, lost }: DatasetState, now: Date, closed: IsClosed): FreshnessState {
  if (lost) return 'late'
  if (!release) return 'building'
  if (release.degraded) return 'late'
  if (cadence.every === 'on_change') return 'static'
  const [minute, known] = [minuteOf(now), states.get(release)]
  if (known?.minute === minute && known.closed === closed) return known.state
  const state = timedState(cadence, release, now, closed)
  states.set(release, { minute, closed, state })
  return state
}

function timedState(cadence: Timed, release: Release, now: Date, closed: IsClosed): 'fresh' | 'due' | 'late' {
  const { dueBy } = issuesOf(cadence, closed)
  const holds = (issue: Issue | null): boolean => issue === null || release.completeThrough >= issue.covers
  if (holds(dueBy(now))) return 'fresh'
  return holds(dueBy(new Date(now.getTime() - PATIENCE[cadence.every] * HOUR_MS))) ? 'due' : 'late'
}

/** What `/v2/datasets/{dataset_key}/freshness` answers. */
export function freshnessView(state: DatasetState, now: Date, closed: IsClosed) {
  const { dataset, release } = state
  return {
    dataset: dataset.id,
    freshness_state: freshnessState(state, now, closed),
    freshness_as_of: release?.completeThrough ?? null,
    last_published_at: release?.manifest.published_at ?? null,
    cadence: dataset.cadence.every,
    ...appointments(state, now, closed),
    release_version: release?.id ?? null,
    warnings: warningLabels(state),
  }
}

function appointments({ dataset: { cadence }, release }: DatasetState, now: Date, closed: IsClosed) {
  if (!release || cadence.every === 'on_change') return { expected_at: null, next_expected_at: null, lag_days: null }
  const issues = issuesOf(cadence, closed)
  const time = (issue: Issue | null): string | null => issue && taipei(issue.at)
  return {
    expected_at: time(issues.dueBy(now)),
    next_expected_at: time(issues.nextAfter(now, release.completeThrough)),
    lag_days: lagDays(cadence.every, issues, release.completeThrough, now),
  }
}

/** Trading days that are missing; for slower cadences, whole days since the oldest missing issue was due. */
function lagDays(every: Dataset['cadence']['every'], issues: Issues, held: string, now: Date): number {
  const missing = issues.missing(now, held)
  if (every === 'trading_day' || missing.length === 0) return missing.length
  return Math.floor((now.getTime() - missing.at(-1)!.at.getTime()) / DAY_MS)
}
