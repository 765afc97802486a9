import type { Dataset } from '../catalog/index.ts'
import { type IsClosed, scheduleOf } from '../src/calendar/index.ts'
import { commandRefusal, type FetchSettings, type Refusal, taipei, taipeiDay } from '../src/core/index.ts'
import { type Period, periodOf, periodsBetween, sourceOf } from './fetchers/index.ts'
import type { Feed, Fetch } from './formats/index.ts'

/** The days somebody wants; none for the newest there are. */
export interface WantedDays {
  readonly from: string
  readonly to: string
}

/** How a feed is to be asked, and for what. */
export interface FetchPlan {
  readonly way: Fetch
  readonly periods: readonly Period[]
  /** Day that the bodies of a period are held to; undefined where they state their own. */
  readonly heldTo: (period: Period) => string | undefined
}

/** What a plan is made of beside the feed. */
export interface FetchPlanDeps {
  readonly settings: FetchSettings
  readonly now: Date
  readonly isClosed: IsClosed
  /** The feed's first dataset, whose cadence says when data is due. */
  readonly dataset: Dataset
}

/** Hosts of a way whose terms forbid programs and that nobody set consent for. */
export const hostsWithoutConsent = ({ requests }: Fetch, { consent }: FetchSettings): readonly string[] => [
  ...new Set(requests.flatMap(({ url }) => (sourceOf(url).open || consent.has(new URL(url).host) ? [] : [new URL(url).host]))),
]

/** The newest day whose data is due by now, by the cadence; by trading days where it has none. */
export function newestDueDay({ cadence }: Dataset, isClosed: IsClosed, now: Date): string {
  const timed = cadence.every === 'on_change' ? ({ every: 'trading_day', expectedAt: '00:00' } as const) : cadence
  return scheduleOf(timed, isClosed).dueBy(now)?.covers ?? taipeiDay(now)
}

/**
 * Chooses among the ways of a feed the first that may be used and has what is wanted.
 *
 * @throws Refusal where the feed cannot be fetched, has no way to the days wanted, or each way needs a consent that is not set
 */
export function planFetch(feed: Feed, wanted: WantedDays | undefined, deps: FetchPlanDeps): FetchPlan {
  const { settings, now, isClosed, dataset } = deps
  if (feed.fetch === undefined)
    throw noWay(`${feed.name} names no address to fetch from; hand in its files with twmd ingest ${feed.name} <file…>.`)
  const due = newestDueDay(dataset, isClosed, now)
  const today = taipeiDay(now)
  // The newest body can only be of the newest day.
  const isNewest = wanted !== undefined && wanted.from === wanted.to && wanted.to >= due
  const fits = feed.fetch.filter(({ period }) => period !== 'latest' || wanted === undefined || isNewest)
  if (fits.length === 0) throw noWay(`${feed.name} gives only what is newest; leave out the days, or hand in files of them.`)
  const way = fits.find(each => hostsWithoutConsent(each, settings).length === 0)
  if (way === undefined) throw needsConsent(feed, fits, settings)
  if (way.period === 'latest') {
    const heldTo = way.undated ? undatedDay(feed, due, deps) : wanted?.to
    return { way, periods: [periodOf('latest', today)], heldTo: () => heldTo }
  }
  const { from, to } = wanted ?? { from: due, to: due }
  const { since = '0001-01-01' } = way
  if (to < since) throw noWay(`The source of ${feed.name} has nothing before ${since}.`)
  const first = from < since ? since : from
  const last = to > today ? today : to
  // Of a month that is not over, what there is so far.
  const periods = periodsBetween(way.period, first, last).map(period => (period.last > today ? { ...period, last: today } : period))
  return { way, periods, heldTo: period => period.last }
}

/** No market is still open then, and none has published the day's tables before. */
const MARKETS_CLOSE = '13:30'

/**
 * The day that a body without one is of. A list is of the day it is fetched; a trading day's table is of the newest day that is due, as long
 * as the next one cannot be there yet.
 *
 * @throws Refusal between the close and the hour the table is due, when it may be of either day
 */
function undatedDay({ name, daily }: Feed, due: string, { now, isClosed }: FetchPlanDeps): string {
  const today = taipeiDay(now)
  if (daily === undefined) return today
  if (due === today || isClosed(today) || taipei(now).slice(11, 16) < MARKETS_CLOSE) return due
  throw noWay(
    `${name} prints no day, and until today's table is due nobody can tell whether it is today's or that of ${due}; fetch it later.`,
  )
}

const noWay = (message: string): Refusal => commandRefusal('conflict', { rule: 'not_fetchable' }, message)

function needsConsent(feed: Feed, ways: readonly Fetch[], settings: FetchSettings): Refusal {
  const hosts = [...new Set(ways.flatMap(way => hostsWithoutConsent(way, settings)))]
  const open = feed.fetch!.some(way => hostsWithoutConsent(way, settings).length === 0)
  const newest = open ? ' What is newest comes from open data: leave out the days.' : ''
  return commandRefusal(
    'conflict',
    { rule: 'consent_missing', hosts },
    `${feed.name} is asked for at ${hosts.join(' and ')}, whose terms do not let programs download. Where its operator lets you, name it in FETCH_CONSENT=${hosts.join(',')}; otherwise hand in files with twmd ingest.${newest}`,
  )
}
