import type { Catalog } from '../../catalog/index.ts'
import type { Fetcher } from '../fetchers/index.ts'
import type { Feed } from '../formats/index.ts'
import { needsOf } from './schedule.ts'
import { type FeedState, readScheduleState } from './state.ts'
import { cadenceText } from './times.ts'

/** A feed that can be fetched: when it is due, how it ran last and when it runs next, as `twmd schedule --list` says it. */
export interface FeedRun {
  readonly feed: string
  readonly datasets: readonly string[]
  /** When its first dataset is due, in words. */
  readonly due: string
  /** The same in Chinese. */
  readonly due_zh: string
  /** RFC 3339 in Taipei; null where it never ran, so that it runs at the next start, or cannot run. */
  readonly next_at: string | null
  readonly last_run: FeedState['last_run'] | null
  /** Newest day whose data came. */
  readonly covers: string | null
  /** Runs without success since the last that came. */
  readonly tries: number
  /** Hosts whose consent is missing, so that it does not run. */
  readonly needs_consent: readonly string[]
}

/** Feeds as the schedule of a data folder knows them, whether or not one runs. */
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
      needs_consent: can ? [] : hosts,
    }
  })
}
