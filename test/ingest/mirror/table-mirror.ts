import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Row } from '../../../catalog/index.ts'
import { openRemote, pullDataset, pullTable } from '../../../ingest/mirror/index.ts'
import { serveAgain } from '../../../ingest/publish/index.ts'
import { checkLog, continueLog, createTableVersions, logFolder } from '../../../src/delta/index.ts'
import type { Session } from '../../../src/engine/index.ts'
import { freePort } from '../../fixtures/free-port.ts'
import { day } from '../../fixtures/publish/rows.ts'
import { releaseIds } from '../../fixtures/publish/store.ts'
import { replayed, rowsAt } from '../../fixtures/tables/log.ts'
import { dataFolder, NOW, openTestWorkspace, service } from '../../support.ts'

export const SLUG = 'institutional-positioning'
export const RELEASES = `/v2/datasets/${SLUG}/releases`
const DAYS = ['2026-05-28', '2026-05-29', '2026-06-01', '2026-06-02', '2026-06-03', '2026-06-04']

/** A listening service without releases. */
export async function openOrigin() {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  let minutes = 0
  const now = () => new Date(NOW.getTime() + minutes * 60_000)
  const s = await service({ examples: false, inMemory: false, indexed: false, publicUrl: url, now })
  const { workspace } = s
  await s.app.listen({ port, host: '127.0.0.1' })
  return {
    s,
    url,
    key: s.keyOn('max'),
    folder: logFolder(workspace.releases, SLUG),
    /** Publishes one release for each index. The index determines the day. */
    async publish(...indexes: readonly number[]): Promise<void> {
      for (const index of indexes) {
        minutes++
        expect(await s.publish(SLUG, day(DAYS[index]!, index))).toMatchObject({ status: 'published' })
      }
    },
    /** Serves the first release again. */
    async withdraw(): Promise<void> {
      minutes++
      await serveAgain(workspace, s.dataset(SLUG), releaseIds(workspace.releases, SLUG)[0]!)
      await s.releases.refresh()
    },
    /** Writes the table log from the retained releases. */
    writeLog: () => continueLog({ session: workspace.session, root: workspace.releases }, s.dataset(SLUG)),
    rows: (version: number): Promise<readonly Row[]> =>
      rowsAt(workspace.session, workspace.releases, SLUG, replayed(workspace.releases, SLUG)[version]!),
    close: s.close,
  }
}
export type Origin = Awaited<ReturnType<typeof openOrigin>>

/** A folder into which releases of an origin are pulled. */
export async function openMirror({ url, key }: Pick<Origin, 'url' | 'key'>) {
  const { dir, remove } = await dataFolder()
  const w = await openTestWorkspace(dir, () => NOW)
  const [dataset, root] = [w.catalog.get(SLUG)!, w.releases]
  const opened = openRemote({ url, key, tries: 1 })
  const requests: string[] = []
  const remote: typeof opened = {
    ...opened,
    json(path, form) {
      requests.push(path)
      return opened.json(path, form)
    },
  }
  const withSession = <T>(write: (session: Session) => Promise<T>) => write(w.session)
  const tables = { remote, root, tableVersions: createTableVersions(root), withSession }
  return {
    dir,
    folder: logFolder(root, SLUG),
    /** Paths of the requested lists. */
    requests,
    /** Pulls the served release and its table, as `twmd pull` does. */
    pull: async (): Promise<void> => pullTable(tables, dataset, await pullDataset(remote, root, dataset)),
    /** Pulls like versions of twmd that gave pulled releases version numbers of their own. */
    async pullWithOwnNumbers(): Promise<void> {
      await pullDataset(remote, root, dataset)
      await continueLog({ session: w.session, root }, dataset)
    },
    releases: (): readonly string[] => replayed(root, SLUG).map(({ release }) => release),
    /** Rows of a version. Null if one of its files is missing in this folder. */
    rows: (version: number): Promise<readonly Row[] | null> =>
      rowsAt(w.session, root, SLUG, replayed(root, SLUG)[version]!).catch(() => null),
    fault: async (): Promise<string | null> => (await checkLog(root, dataset)).fault,
    async close(): Promise<void> {
      w.close()
      await remove()
    },
  }
}
export type Mirror = Awaited<ReturnType<typeof openMirror>>

/** Texts of the commits in a log, by file name. */
export const commitsIn = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folder).flatMap(name => (name.endsWith('.json') ? [[name, readFileSync(join(folder, name), 'utf8')]] : [])),
  )

export const commitName = (version: number): string => `${String(version).padStart(20, '0')}.json`
