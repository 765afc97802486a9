import type { Catalog, Dataset } from '../../../catalog/index.ts'
import { type Calendar, type IsClosed, scheduleOf } from '../../calendar/index.ts'
import { addDays, type Clock, DAY_MS, taipei, taipeiDay } from '../../core/index.ts'
import { type Release, type Releases, releaseOf } from '../../releases/index.ts'
import type { IntakeFeed } from './intake.ts'

export interface DaysAtRiskDeps {
  readonly catalog: Catalog
  readonly releases: Releases
  readonly calendar: Pick<Calendar, 'isClosed'>
  readonly clock: Clock
}

/** Missing days that the source will soon delete. */
export interface DaysAtRisk {
  /** Oldest day at risk, `YYYY-MM-DD`. */
  readonly day: string
  readonly days: number
  /** Time at which the source deletes the oldest day, RFC 3339 in Taipei time. */
  readonly lost_at: string
}

/**
 * The warning starts this many days before the source deletes data. At most half of the source's
 * history.
 */
const WARNING_DAYS = 30

/**
 * Returns missing days that the source will soon delete. Checks only the first dataset of the feed.
 * Starts at the first published day, because not every service needs the whole history. Null if
 * there are none, or if the rows are samples.
 */
export function daysAtRisk(feed: IntakeFeed, { catalog, releases, calendar: { isClosed }, clock }: DaysAtRiskDeps): DaysAtRisk | null {
  const dataset = catalog.get(feed.datasets[0]!)!
  const release = releaseOf(dataset, releases)
  if (!release || release.manifest.synthetic || feed.history === 'all') return null
  if (feed.history_days !== null) return gapsAtRisk(release, feed.history_days, clock(), isClosed)
  return newestAtRisk(dataset, release, { covers: feed.covers, now: clock(), isClosed })
}

function gapsAtRisk({ publishedDays }: Release, historyDays: number, now: Date, isClosed: IsClosed): DaysAtRisk | null {
  const oldest = addDays(taipeiDay(now), -historyDays)
  const window = Math.min(WARNING_DAYS, Math.floor(historyDays / 2))
  const first = publishedDays[0] ?? NO_DAY
  const missing = Array.from({ length: window + 1 }, (_, index) => addDays(oldest, index)).filter(
    day => day > first && !isClosed(day) && !publishedDays.includes(day),
  )
  const [day] = missing
  return day === undefined ? null : { day, days: missing.length, lost_at: `${addDays(day, historyDays + 1)}T00:00:00.000+08:00` }
}

const NO_DAY = '9999-12-31'

interface NewestDeps {
  readonly covers: string | null
  readonly now: Date
  readonly isClosed: IsClosed
}

/** Returns the newest due day if the day is missing and will soon disappear from the source. */
function newestAtRisk({ cadence }: Dataset, release: Release, { covers, now, isClosed }: NewestDeps): DaysAtRisk | null {
  if (cadence.every === 'on_change') return null
  const schedule = scheduleOf(cadence, isClosed)
  const due = schedule.dueBy(now)
  const next = due && schedule.nextAfter(now, due.covers)
  if (!due || !next) return null
  const isSparse = cadence.every === 'trading_day' && cadence.sparse !== undefined
  // Other feeds may supply other days of the dataset, so only this feed's newest day counts.
  const newest = isSparse && covers !== null ? covers : [covers ?? '', release.completeThrough].sort().at(-1)!
  const warnsAt = Math.max((due.dueAt.getTime() + next.dueAt.getTime()) / 2, next.dueAt.getTime() - WARNING_DAYS * DAY_MS)
  if (newest >= due.covers || now.getTime() < warnsAt) return null
  return { day: due.covers, days: 1, lost_at: taipei(next.dueAt) }
}
