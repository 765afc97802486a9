import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Dataset, Row } from '../../../catalog/index.ts'
import { checkFiles, ingestFiles, publishFiles } from '../../../ingest/index.ts'
import type { Workspace } from '../../../ingest/publish/index.ts'
import { feeds } from '../../fixtures/ingest/bodies.ts'
import { storedRows } from '../../fixtures/publish/store.ts'
import { dataFolder, NOW, openTestWorkspace, publishRows } from '../../support.ts'

/** A publishing workspace on a new data folder. Has no service, so it opens ten times as fast. */
export async function publisher({
  now = () => NOW,
  copyOf,
}: {
  readonly now?: () => Date
  /** A data folder to copy. */
  readonly copyOf?: string
} = {}) {
  const { dir, remove } = await dataFolder()
  if (copyOf !== undefined) cpSync(copyOf, dir, { recursive: true })
  const workspace: Workspace = await openTestWorkspace(dir, now)
  const dataset = (slug: string): Dataset => workspace.catalog.get(slug)!
  const file = (name: string, content: string | Uint8Array): string => {
    const path = join(dir, name)
    writeFileSync(path, content)
    return path
  }
  let files = 0
  /** Writes rows as an NDJSON partition file. */
  const partition = (rows: readonly Row[]): string => file(`rows-${files++}.ndjson`, rows.map(row => `${JSON.stringify(row)}\n`).join(''))
  return {
    dir,
    now,
    workspace,
    dataset,
    file,
    partition,
    publish: (slug: string, rows: readonly Row[], options: { accept?: readonly string[]; synthetic?: boolean } = {}) =>
      publishRows(workspace, dir, dataset(slug), rows, options),
    publishFiles: (slug: string, paths: readonly string[], options: Partial<Parameters<typeof publishFiles>[3]> = {}) =>
      publishFiles(workspace, dataset(slug), paths, { accept: [], synthetic: false, ...options }),
    /** Publishes the rows of a query, written to a Parquet file. */
    async publishQuery(slug: string, query: string) {
      const path = join(dir, `query-${files++}.parquet`)
      await workspace.session.run(`COPY (${query}) TO '${path}' (FORMAT parquet)`)
      return publishFiles(workspace, dataset(slug), [path], { accept: [], synthetic: false })
    },
    /**
     * Publishes a calendar with one closed day of 2025. Without a served calendar, `check` would
     * build a whole one each time.
     */
    publishSomeCalendar: () =>
      publishRows(workspace, dir, dataset('trading-calendar'), [{ market: 'TWSE', date: '2025-01-01', is_open: false, reason: '元旦' }]),
    /** Checks rows like a publication does, without publishing them. */
    check: (slug: string, rows: readonly Row[], accept: readonly string[] = []) =>
      checkFiles(workspace, dataset(slug), [partition(rows)], { accept }),
    checkFile: (slug: string, path: string, accept: readonly string[] = []) => checkFiles(workspace, dataset(slug), [path], { accept }),
    ingest: (feed: string, paths: readonly string[], requestedDay?: string, accept: readonly string[] = []) =>
      ingestFiles(workspace, feeds.get(feed)!, paths, { requestedDay, accept, progress: () => {} }),
    /** Rows of the served release, read from its parts. */
    rows: (slug: string, select?: string, rest?: string) => storedRows(workspace.session, workspace.releases, slug, select, rest),
    async close() {
      workspace.close()
      await remove()
    },
  }
}

export type Publisher = Awaited<ReturnType<typeof publisher>>
