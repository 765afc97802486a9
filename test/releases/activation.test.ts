import { cpSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Dataset } from '../../catalog/index.ts'
import { createLog } from '../../src/core/index.ts'
import { openReleases, type Releases } from '../../src/releases/index.ts'
import { dataFolder, openTestWorkspace, publishRows } from '../support.ts'

const NEVER = 3_600_000
const [ONE, OTHER] = ['securities-firm-master', 'index-classification'] as const

let dir: string
let remove: () => Promise<void>
let workspace: Awaited<ReturnType<typeof openTestWorkspace>>
let releases: Releases | undefined
beforeEach(async () => {
  const folder = await dataFolder()
  dir = folder.dir
  remove = folder.remove
  workspace = await openTestWorkspace(dir)
})
afterEach(async () => {
  releases?.close()
  workspace.close()
  await remove()
})

const dataset = (slug: string): Dataset => workspace.catalog.get(slug)!
const published = async (slug: string, rows = dataset(slug).example): Promise<string> =>
  (await publishRows(workspace, dir, dataset(slug), rows)).release!
const open = async (checkMs: number): Promise<Releases> => {
  releases = await openReleases({ root: workspace.releases, catalog: workspace.catalog, log: createLog('silent'), checkMs })
  return releases
}
/** Resolves with the datasets of the next change. */
const change = (opened: Releases): Promise<readonly string[]> =>
  new Promise(resolve => {
    const stop = opened.onChange(changed => {
      stop()
      resolve([...changed].map(({ slug }) => slug))
    })
  })
const renamed = (slug: string) => dataset(slug).example.map(row => ({ ...row, index_name: '另一名' }))

it('the file watch activates a publication and calls listeners without a request', async () => {
  await published(OTHER)
  const opened = await open(NEVER)
  const changes = change(opened)
  const release = await published(OTHER, renamed(OTHER))
  expect(await changes).toEqual([OTHER])
  expect(opened.current(dataset(OTHER)).id).toBe(release)
})

it('the periodic check activates a publication that the file watch missed', async () => {
  await published(OTHER)
  const opened = await open(20)
  // The file watch stays on the renamed folder, so it misses the next publication.
  cpSync(workspace.releases, join(dir, 'copy'), { recursive: true })
  renameSync(workspace.releases, join(dir, 'away'))
  renameSync(join(dir, 'copy'), workspace.releases)
  const changes = change(opened)
  const release = await published(ONE)
  expect((await changes).length).toBeGreaterThan(0)
  await expect.poll(() => opened.served(dataset(ONE))?.id).toBe(release)
  rmSync(join(dir, 'away'), { recursive: true })
})

it('if several releases change together, listeners are called once, after all of them are activated', async () => {
  for (const slug of [ONE, OTHER]) await published(slug)
  const ready = join(dir, 'ready')
  cpSync(workspace.releases, ready, { recursive: true })
  for (const slug of [ONE, OTHER]) rmSync(join(workspace.releases, slug), { recursive: true })
  const opened = await open(NEVER)
  const changes: (readonly string[])[] = []
  opened.onChange(changed => changes.push([...changed].map(one => `${one.slug} ${opened.current(one).degraded}`).sort()))
  for (const slug of [ONE, OTHER]) renameSync(join(ready, slug), join(workspace.releases, slug))
  await opened.refresh()
  await opened.refresh()
  expect(changes).toEqual([[`${OTHER} false`, `${ONE} false`]])
})
