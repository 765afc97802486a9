import type { Dataset } from '../catalog/index.ts'
import { type IsClosed, scheduleOf } from '../src/calendar/index.ts'
import { commandRefusal, type FetchSettings, type Refusal, taipei, taipeiDay } from '../src/core/index.ts'
import { type Period, periodOf, periodsBetween, sourceOf } from './fetchers/index.ts'
import type { Feed, Fetch } from './formats/index.ts'

export interface WantedDays {
  readonly from: string
  readonly to: string
}

export interface FetchPlan {
  readonly way: Fetch
  readonly periods: readonly Period[]
  /** Returns the day that the files must have. Undefined if every day is accepted. */
  readonly heldTo: (period: Period) => string | undefined
}

export interface FetchPlanDeps {
  readonly settings: FetchSettings
  readonly now: Date
  readonly isClosed: IsClosed
  /** First dataset of the feed. Its cadence decides which day is due. */
  readonly dataset: Dataset
}

/** Returns the hosts that need a consent which the operator has not given. */
export const hostsWithoutConsent = ({ requests }: Fetch, { consent }: FetchSettings): readonly string[] => [
  ...new Set(requests.flatMap(({ url }) => (sourceOf(url).open || consent.has(new URL(url).host) ? [] : [new URL(url).host]))),
]

/**
 * Returns the newest day that is due. For datasets without fixed times, returns the newest trading
 * day.
 */
export function newestDueDay({ cadence }: Dataset, isClosed: IsClosed, now: Date): string {
  const timed = cadence.every === 'on_change' ? ({ every: 'trading_day', expectedAt: '00:00' } as const) : cadence
  return scheduleOf(timed, isClosed).dueBy(now)?.covers ?? taipeiDay(now)
}

/**
 * Chooses the first permitted source that has the days.
 *
 * @throws Refusal if the feed cannot be fetched, no source has the days, or a consent is missing
 */
export function planFetch(feed: Feed, wanted: WantedDays | undefined, deps: FetchPlanDeps): FetchPlan {
  const { settings, now, isClosed, dataset } = deps
  if (feed.fetch === undefined)
    throw noWay(`${feed.name} has no download address. Download its files yourself and run twmd ingest ${feed.name} <file…>.`)
  const due = newestDueDay(dataset, isClosed, now)
  const today = taipeiDay(now)
  // A source with the period `latest` has only the newest day.
  const isNewest = wanted !== undefined && wanted.from === wanted.to && wanted.to >= due
  const fits = feed.fetch.filter(({ period }) => period !== 'latest' || wanted === undefined || isNewest)
  if (fits.length === 0)
    throw noWay(`Only the newest data of ${feed.name} can be fetched. Omit the days, or load files of those days with twmd ingest.`)
  const way = fits.find(each => hostsWithoutConsent(each, settings).length === 0)
  if (way === undefined) throw needsConsent(feed, fits, settings)
  if (way.period === 'latest') {
    const heldTo = way.undated ? undatedDay(feed, due, deps) : wanted?.to
    return { way, periods: [periodOf('latest', today)], heldTo: () => heldTo }
  }
  const { from, to } = wanted ?? { from: due, to: due }
  const { since = '0001-01-01' } = way
  if (to < since) throw noWay(`The source of ${feed.name} has no data before ${since}. Request a later day.`)
  const first = from < since ? since : from
  const last = to > today ? today : to
  // A month that has not ended is requested up to today.
  const periods = periodsBetween(way.period, first, last).map(period => (period.last > today ? { ...period, last: today } : period))
  return { way, periods, heldTo: period => period.last }
}

/** Time in Taipei at which the markets close. The day's tables are published later. */
const MARKETS_CLOSE = '13:30'

/**
 * Returns the day of a table without a date: the requested day, or the newest due day.
 *
 * @throws Refusal between market close and the due hour, when two days are possible
 */
function undatedDay({ name, daily }: Feed, due: string, { now, isClosed }: FetchPlanDeps): string {
  const today = taipeiDay(now)
  if (daily === undefined) return today
  if (due === today || isClosed(today) || taipei(now).slice(11, 16) < MARKETS_CLOSE) return due
  throw noWay(`The table of ${name} has no date. Until today's table is due, it could be for today or for ${due}. Fetch it later.`)
}

const noWay = (message: string): Refusal => commandRefusal('conflict', { rule: 'not_fetchable' }, message)

function needsConsent(feed: Feed, ways: readonly Fetch[], settings: FetchSettings): Refusal {
  const hosts = [...new Set(ways.flatMap(way => hostsWithoutConsent(way, settings)))]
  const open = feed.fetch!.some(way => hostsWithoutConsent(way, settings).length === 0)
  const newest = open ? ' The newest data is open data: omit the days to fetch it.' : ''
  return commandRefusal(
    'conflict',
    { rule: 'consent_missing', hosts },
    `${feed.name} comes from ${hosts.join(' and ')}, whose terms forbid automated downloads. If the site's operator has agreed, set FETCH_CONSENT=${hosts.join(',')}. Otherwise download files yourself and use twmd ingest.${newest}`,
  )
}
