import type { Catalog } from '../../catalog/index.ts'
import type { Fetcher } from '../fetchers/index.ts'
import type { Feed } from '../formats/index.ts'
import { needsOf } from './schedule.ts'
import { type FeedState, readScheduleState } from './state.ts'
import { cadenceText } from './times.ts'

/** A fetchable feed with its last and next run. */
export interface FeedRun {
  readonly feed: string
  readonly datasets: readonly string[]
  /** When new data is due, in words. */
  readonly due: string
  readonly due_zh: string
  /**
   * RFC 3339 in Taipei. Null if the feed cannot run, or if it never ran and will run at the next
   * start.
   */
  readonly next_at: string | null
  readonly last_run: FeedState['last_run'] | null
  readonly covers: string | null
  /** Failed runs since the last success. */
  readonly tries: number
  /**
   * How long the sources offer past data: `all` without limit, `days` for `history_days`, `newest`
   * until the next publication. Includes sources without consent.
   */
  readonly history: 'all' | 'days' | 'newest'
  /** Null unless `history` is `days`. */
  readonly history_days: number | null
  /** Hosts whose consent is missing. Empty if the feed can run. */
  readonly needs_consent: readonly string[]
}

function historyOf({ fetch = [] }: Feed): Pick<FeedRun, 'history' | 'history_days'> {
  const limits = fetch.map(({ period, keeps = period === 'latest' ? 'newest' : 'all' }) => keeps)
  const days = limits.filter(limit => typeof limit === 'number')
  if (limits.includes('all')) return { history: 'all', history_days: null }
  return days.length > 0 ? { history: 'days', history_days: Math.max(...days) } : { history: 'newest', history_days: null }
}

/** Returns all fetchable feeds with their state. */
export function feedRuns(dataDir: string, catalog: Catalog, feeds: readonly Feed[], settings: Fetcher['settings']): readonly FeedRun[] {
  const state = readScheduleState(dataDir)
  return feeds.map(feed => {
    const { can, hosts } = needsOf(feed, { settings })
    const { next_at = null, last_run = null, covers = null, tries = 0 } = state[feed.name] ?? {}
    const due = cadenceText(catalog.get(feed.datasets[0]!)!.cadence)
    return {
      feed: feed.name,
      datasets: feed.datasets,
      due: due.en,
      due_zh: due.zh,
      next_at: can ? next_at : null,
      last_run,
      covers,
      tries,
      ...historyOf(feed),
      needs_consent: can ? [] : hosts,
    }
  })
}
