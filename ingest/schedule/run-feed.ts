import type { Dataset } from '../../catalog/index.ts'
import type { IsClosed } from '../../src/calendar/index.ts'
import { addDays, Refusal, taipei } from '../../src/core/index.ts'
import { failureReason, isEngineError, isMachineFault } from '../../src/engine/index.ts'
import type { Fetcher } from '../fetchers/index.ts'
import type { Feed } from '../formats/index.ts'
import { type FetchedFeed, fetchFeed, newestDueDay, type WantedDays } from '../index.ts'
import { createQuarantine, publishedDays, type Quarantine } from '../intake/index.ts'
import { createServedReleases, type Workspace } from '../publish/index.ts'
import type { FeedState, RunOutcome } from './state.ts'
import { nextRun, nextTry } from './times.ts'

export interface RunDeps {
  readonly workspace: Workspace
  readonly fetcher: Fetcher
  readonly isClosed: IsClosed
  readonly random: () => number
  readonly signal: AbortSignal
}

/**
 * Maximum number of past days that a run fetches after the service was stopped. Use `twmd fetch`
 * for older days.
 */
const MOST_DAYS_BACK = 90

/** The source has not published the data yet, so the run is retried. */
const NOT_YET: ReadonlySet<unknown> = new Set(['asked_too_early', 'incomplete_body', 'wrong_day', 'empty_list'])
/** Rules that late or incomplete data breaks. The run is retried. */
const LATE: ReadonlySet<unknown> = new Set([...NOT_YET, 'rows_held', 'not_the_publication', 'damaged_body', 'row_count_drift'])

/**
 * Fetches due data of a feed and schedules the next run. Never rejects; the state describes a
 * failure.
 */
export async function runFeed(deps: RunDeps, feed: Feed, former: FeedState | undefined): Promise<FeedState> {
  const { workspace, isClosed, random } = deps
  const dataset = workspace.catalog.get(feed.datasets[0]!)!
  const due = newestDueDay(dataset, isClosed, workspace.clock())
  const tries = (former?.tries ?? 0) + 1
  const ended = (outcome: RunOutcome, { en, zh }: Said, covers: string | null): FeedState => {
    const now = workspace.clock()
    const again = outcome === 'late' || outcome === 'unreachable'
    const next = again ? nextTry(now, tries, dataset.cadence) : nextRun(dataset, isClosed, now, due, random)
    const at = taipei(now)
    const state = {
      next_at: taipei(next),
      covers,
      tries: outcome === 'came' ? 0 : tries,
      last_run: { at, outcome, said: en, ...(zh && { said_zh: zh }) },
    }
    const { came_at = undefined, refused_at = undefined } = {
      ...former,
      ...(outcome === 'came' && { came_at: at }),
      ...(outcome === 'refused' && { refused_at: at }),
    }
    return { ...state, ...(came_at && { came_at }), ...(refused_at && { refused_at }) }
  }
  // Ignores a day after the due day, which was recorded while the clock was ahead.
  const had = former?.covers && former.covers <= due ? former.covers : null
  try {
    const fetched = await fetchDue(deps, feed, due, had ?? (await newestPublished(workspace, feed)))
    const outcome = outcomeOf(fetched, await isThere(workspace, dataset, fetched, due))
    return ended(outcome, saidOf(fetched, outcome), outcome === 'came' ? due : (lastBefore(fetched) ?? had))
  } catch (error) {
    if (error instanceof Refusal) return ended('unreachable', error.words, had)
    return ended(
      isMachineFault(error) ? 'unreachable' : 'refused',
      { en: isEngineError(error) ? failureReason(error) : (error as Error).message },
      had,
    )
  }
}

const newestPublished = async (workspace: Workspace, feed: Feed): Promise<string | null> =>
  feed.daily === undefined ? null : ([...(await publishedDays(workspace, feed))].sort().at(-1) ?? null)

/**
 * Returns a quarantine that ignores refusals because data is late. The run is retried, so no
 * operator must decide. Otherwise, a source that is late for a night would fill the quarantine. The
 * raw captures contain the refused files.
 */
function undecided(workspace: Workspace): Quarantine {
  const { keep, close } = createQuarantine(workspace)
  return {
    keep: (path, mark, report) => (report.faults.every(({ rule }) => NOT_YET.has(rule)) ? '' : keep(path, mark, report)),
    close,
  }
}

/** Requests all days after the newest fetched day. Some sources only have the newest day. */
async function fetchDue({ workspace, fetcher, signal }: RunDeps, feed: Feed, due: string, covers: string | null): Promise<FetchedFeed> {
  const first = covers === null ? due : [addDays(covers, 1), addDays(due, -MOST_DAYS_BACK)].sort().at(-1)!
  // Requests months and quarters again, because sources add to them until they end, and correct
  // them later. Requests a day only once.
  const again = feed.daily === undefined
  const quarantine = undecided(workspace)
  const wanted: WantedDays | undefined = first < due ? { from: first, to: due } : undefined
  try {
    return await fetchFeed(workspace, fetcher, feed, { wanted, again, signal, quarantine })
  } catch (error) {
    if (wanted === undefined || !(error instanceof Refusal && ['not_fetchable', 'consent_missing'].includes(String(error.facts['rule']))))
      throw error
    return fetchFeed(workspace, fetcher, feed, { again, signal, quarantine })
  }
}

const resultsOf = ({ ingested }: FetchedFeed) => ingested.flatMap(({ results }) => results)

function outcomeOf(fetched: FetchedFeed, isThere: boolean): RunOutcome {
  const { failures, missing } = fetched
  const refused = resultsOf(fetched).filter(({ outcome }) => outcome === 'refused')
  if (refused.some(({ said }) => !LATE.has(said))) return 'refused'
  if (refused.length > 0) return 'late'
  if (failures.length > 0 || missing.length > 0) return 'unreachable'
  return isThere ? 'came' : 'late'
}

/**
 * True if the due day was fetched. The source may still offer the previous file, whose days are
 * older. If rows have no days, the newest served rows are checked.
 */
async function isThere(workspace: Workspace, dataset: Dataset, fetched: FetchedFeed, due: string): Promise<boolean> {
  const { cadence, slug } = dataset
  if (fetched.plan.way.period !== 'latest' || cadence.every === 'on_change') return true
  if (cadence.every === 'trading_day' && cadence.sparse) return true
  const days = resultsOf(fetched).flatMap(({ date }) => (date === null ? [] : [date]))
  if (days.length > 0) return days.some(day => day >= due)
  const served = await createServedReleases(workspace).of(slug)
  return (served?.manifest.data_as_of ?? due) >= due
}

/** Returns the last day before the first failed period. Null if the first period failed. */
function lastBefore({ missing, plan: { periods } }: FetchedFeed): string | null {
  const at = periods.findIndex(({ last }) => last === missing[0])
  return at > 0 ? periods[at - 1]!.last : null
}

interface Said {
  readonly en: string
  readonly zh?: string
}

function saidOf(fetched: FetchedFeed, outcome: RunOutcome): Said {
  const refused = resultsOf(fetched).find(each => each.outcome === 'refused')
  const failed = fetched.failures.at(-1)?.refusal.words
  if (outcome !== 'came') {
    if (refused?.message) return { en: refused.message, ...(refused.message_zh && { zh: refused.message_zh }) }
    return failed ?? fetched.stopped ?? STILL_EARLIER
  }
  const rows = fetched.ingested.flatMap(({ publications }) => publications.map(each => each.outcome.changes?.rows_added ?? 0))
  const [bodies, added] = [fetched.captures.length, rows.reduce((sum, each) => sum + each, 0)]
  return { en: `${bodies} fetched, ${added} rows added`, zh: `下載 ${bodies} 個檔案，新增 ${added} 列` }
}

const STILL_EARLIER = { en: 'The source still has the data of an earlier day.', zh: '來源提供的仍是較早日期的資料。' }
