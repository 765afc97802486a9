import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Row } from '../../catalog/index.ts'
import { serveAgain } from '../../ingest/publish/index.ts'
import { checkLog, logFolder } from '../../src/delta/index.ts'
import { day } from '../fixtures/publish/rows.ts'
import { releaseIds, storedRows } from '../fixtures/publish/store.ts'
import { replayed } from '../fixtures/tables/log.ts'
import { dataFolder, NOW, openTestWorkspace, publishRows } from '../support.ts'

export const SLUG = 'institutional-positioning'
/**
 * Minutes of the clock, which advances at each reading so that no two publications have the same
 * time.
 */
let minutes = 0

/** A workspace with a table log, in a new data folder or a copy of one. */
export async function openLogWorkspace(copyOf?: string) {
  const { dir, remove } = await dataFolder()
  if (copyOf !== undefined) cpSync(copyOf, dir, { recursive: true, preserveTimestamps: true })
  const w = await openTestWorkspace(dir, () => new Date(NOW.getTime() + ++minutes * 60_000))
  const dataset = w.catalog.get(SLUG)!
  const publish = (rows: readonly Row[], synthetic = false) => publishRows(w, dir, dataset, rows, { synthetic })
  const log = () => replayed(w.releases, SLUG)
  const logDir = (slug = SLUG): string => logFolder(w.releases, slug)
  return {
    dir,
    w,
    dataset,
    publish,
    /** Publishes and returns the release with its stored rows. */
    async released(rows: readonly Row[]) {
      const { release } = await publish(rows)
      return { release: release!, rows: await storedRows(w.session, w.releases, SLUG, '*', 'ORDER BY ALL') }
    },
    log,
    logDir,
    commitFile: (version: number): string => join(logDir(), `${String(version).padStart(20, '0')}.json`),
    /** Contents of a log by file name. */
    texts: (slug = SLUG) =>
      Object.fromEntries(readdirSync(logDir(slug)).map(name => [name, readFileSync(join(logDir(slug), name), 'utf8')])),
    releases: () => log().map(({ release }) => release),
    check: async () => (await checkLog(w.releases, dataset)).fault,
    async close(): Promise<void> {
      w.close()
      await remove()
    },
  }
}

export type LogWorkspace = Awaited<ReturnType<typeof openLogWorkspace>>

/** A log of five versions. The third one is a rollback to the first release. */
export async function fiveVersions(): Promise<LogWorkspace> {
  const t = await openLogWorkspace()
  await t.publish(day('2026-06-24', 1))
  await t.publish(day('2026-06-25', 2))
  await serveAgain(t.w, t.dataset, releaseIds(t.w.releases, SLUG)[0]!)
  await t.publish(day('2026-06-26', 3))
  await t.publish(day('2026-06-29', 4))
  return t
}
