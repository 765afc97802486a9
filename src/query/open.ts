import type { Catalog } from '../../catalog/load.ts'
import type { Config } from '../core/config.ts'
import type { Log } from '../core/log.ts'
import { openCalendar } from './calendar.ts'
import { openDuck } from './duck.ts'
import { openNewest } from './fields/newest.ts'
import { followReleases } from './follow.ts'
import { openPool } from './pool.ts'
import { openPublications } from './publications.ts'
import { openReleases } from './releases.ts'
import { openSearch } from './search/search.ts'

export type DataConfig = Pick<Config, 'releasesDir' | 'duckdb' | 'queryTimeoutMs'>

/** Connections to the engine. More than cores, since a read waits for the disk as well. */
const CONNECTIONS = 4
const QUEUE = 64
const QUEUE_WAIT_MS = 2_000

/**
 * The data plane over one folder of releases: they are verified, and calendar and feed made from them, before it resolves. The newest
 * rows and the search are made beside the first requests.
 */
export async function openData({ releasesDir: root, duckdb, queryTimeoutMs: budgetMs }: DataConfig, catalog: Catalog, log: Log) {
  const releases = await openReleases({ root, catalog, log })
  const duck = await openDuck({ ...duckdb, sealedTo: root })
  const pool = await openPool(duck, { connections: CONNECTIONS, queue: QUEUE, waitMs: QUEUE_WAIT_MS, budgetMs })
  const calendar = openCalendar(catalog.get('trading-calendar'), releases, pool, log)
  await calendar.refresh()
  const publications = openPublications({ root, catalog, releases, log })
  await publications.refresh()
  const newest = openNewest(catalog, releases, pool, log)
  const search = openSearch({ catalog, releases, pool, log })
  const followers = followReleases([calendar, publications, newest, search])
  return {
    /** What routes read from. */
    sources: { releases, publications, pool, calendar, newest, search },
    /** Takes up what was just published, without waiting for the next look. */
    refresh: (): Promise<void> => releases.refresh().then(followers.takeUp),
    /** Stops what runs and closes the engine; whoever asks for rows from here on is refused as draining. */
    async close(): Promise<void> {
      followers.stop()
      releases.close()
      // What keeps things made from releases reads through the pool as well: told to end first, then the reads they wait for are stopped.
      await Promise.all([newest.close(), search.stop(), pool.close()])
      duck.close()
    },
  }
}
