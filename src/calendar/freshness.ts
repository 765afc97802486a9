import { type Dataset, isScheduled } from '../../catalog/index.ts'
import { DAY_MS, taipei, type Words } from '../core/index.ts'
import { type DatasetState, type Release, warningLabels } from '../releases/index.ts'
import type { IsClosed } from './calendar.ts'
import { type DueDate, type Schedule, scheduleOf, type TimedCadence } from './schedule.ts'

export const FRESHNESS_STATES = ['fresh', 'due', 'late', 'static', 'building'] as const
export type FreshnessState = (typeof FRESHNESS_STATES)[number]

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

/** Minutes since 1970. */
export const minuteOf = (now: Date): number => Math.floor(now.getTime() / MINUTE_MS)

const states = new WeakMap<Release, { readonly minute: number; readonly isClosed: IsClosed; readonly state: FreshnessState }>()

/** Hours after the due date until missing data counts as `late`. */
const TOLERANCE_HOURS = { trading_day: 12, week: 48, month: 72, quarter: 72 } as const

/**
 * Returns how current a dataset is:
 *
 * - `fresh`: has all data that was due
 * - `due`: the newest data is overdue, but within the tolerance for this kind of dataset
 * - `late`: the newest data is overdue beyond the tolerance, or the newest release is damaged
 * - `static`: changes only when its source does
 * - `building`: never published
 */
export function freshnessState({ dataset: { cadence }, release, lost }: DatasetState, now: Date, isClosed: IsClosed): FreshnessState {
  if (lost) return 'late'
  if (!release) return 'building'
  if (release.degraded) return 'late'
  if (cadence.every === 'on_change') return 'static'
  const minute = minuteOf(now)
  const cached = states.get(release)
  if (cached?.minute === minute && cached.isClosed === isClosed) return cached.state
  const state = timedState(cadence, release, now, isClosed)
  states.set(release, { minute, isClosed, state })
  return state
}

function timedState(cadence: TimedCadence, release: Release, now: Date, isClosed: IsClosed): 'fresh' | 'due' | 'late' {
  const { dueBy } = scheduleOf(cadence, isClosed)
  const hasDataOf = (due: DueDate | null): boolean => due === null || release.completeThrough >= due.covers
  if (hasDataOf(dueBy(now))) return 'fresh'
  return hasDataOf(dueBy(new Date(now.getTime() - TOLERANCE_HOURS[cadence.every] * HOUR_MS))) ? 'due' : 'late'
}

/** Newest day that is late. Null if no day is late. */
export function lateDay({ dataset: { cadence }, release }: DatasetState, now: Date, isClosed: IsClosed): string | null {
  if (!release || cadence.every === 'on_change') return null
  const due = scheduleOf(cadence, isClosed).dueBy(new Date(now.getTime() - TOLERANCE_HOURS[cadence.every] * HOUR_MS))
  return due !== null && release.completeThrough < due.covers ? due.covers : null
}

const UNSCHEDULED: Words = {
  en: 'This dataset has no fixed update schedule, so the date of the next update is unknown. expected_at and lag_days are estimated from its cadence. A missing day is a data gap, not a day without trading.',
  zh: '此資料集沒有固定的更新排程，因此無法得知下次更新的日期。expected_at 與 lag_days 依更新頻率推算。缺少的日期表示資料缺漏，不表示市場沒有交易。',
}

/** Body of `/v2/datasets/{dataset_key}/freshness`. */
export function freshnessView(state: DatasetState, now: Date, isClosed: IsClosed, language: keyof Words) {
  const { dataset, release } = state
  return {
    dataset: dataset.id,
    slug: dataset.slug,
    freshness_state: freshnessState(state, now, isClosed),
    freshness_as_of: release?.completeThrough ?? null,
    ...lastAndNext(state, now, isClosed),
    release_version: release?.id ?? null,
    note: isScheduled(dataset) ? null : UNSCHEDULED[language],
    warnings: warningLabels(state),
  }
}

export function publicationTimes(state: DatasetState, now: Date, isClosed: IsClosed) {
  const { last_published_at, cadence, next_expected_at, lag_days } = lastAndNext(state, now, isClosed)
  return { last_published_at, cadence, next_expected_at, lag_days }
}

const lastAndNext = (state: DatasetState, now: Date, isClosed: IsClosed) => ({
  last_published_at: state.release?.manifest.published_at ?? null,
  cadence: state.dataset.cadence.every,
  ...dueTimes(state, now, isClosed),
})

function dueTimes({ dataset, release }: DatasetState, now: Date, isClosed: IsClosed) {
  const { cadence } = dataset
  if (!release || cadence.every === 'on_change') return { expected_at: null, next_expected_at: null, lag_days: null }
  const schedule = scheduleOf(cadence, isClosed)
  const time = (due: DueDate | null): string | null => due && taipei(due.dueAt)
  return {
    expected_at: time(schedule.dueBy(now)),
    next_expected_at: isScheduled(dataset) ? time(schedule.nextAfter(now, release.completeThrough)) : null,
    lag_days: lagDays(cadence.every, schedule, release.completeThrough, now),
  }
}

/** Due date of the oldest missing data. Null if no data is missing. */
export function overdueSince({ dataset: { cadence }, release }: DatasetState, now: Date, isClosed: IsClosed): Date | null {
  if (!release || cadence.every === 'on_change') return null
  return scheduleOf(cadence, isClosed).missing(now, release.completeThrough).at(-1)?.dueAt ?? null
}

/**
 * Number of missing trading days. For weekly and slower data, number of days since the due date.
 */
function lagDays(every: Dataset['cadence']['every'], schedule: Schedule, completeThrough: string, now: Date): number {
  const missing = schedule.missing(now, completeThrough)
  if (every === 'trading_day' || missing.length === 0) return missing.length
  return Math.floor((now.getTime() - missing.at(-1)!.dueAt.getTime()) / DAY_MS)
}
