import { cpSync, renameSync } from 'node:fs'
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

it('the file watch activates the first publication of a dataset', async () => {
  const opened = await open(NEVER)
  expect(opened.served(dataset(ONE))).toBeNull()
  const changes = change(opened)
  const release = await published(ONE)
  expect(await changes).toEqual([ONE])
  expect(opened.current(dataset(ONE)).id).toBe(release)
})

it('if another folder replaces the folder of a dataset, the file watch activates the next publication in it', async () => {
  await published(OTHER)
  const home = join(workspace.releases, OTHER)
  cpSync(home, join(dir, 'copy'), { recursive: true })
  await published(OTHER, renamed(OTHER))
  const opened = await open(NEVER)
  const replaced = change(opened)
  renameSync(home, join(dir, 'former'))
  renameSync(join(dir, 'copy'), home)
  await replaced
  const changes = change(opened)
  const release = await published(OTHER, renamed(OTHER))
  expect(await changes).toEqual([OTHER])
  expect(opened.current(dataset(OTHER)).id).toBe(release)
})

it('listeners are not called if nothing changed, or after they unsubscribed', async () => {
  await published(OTHER)
  const opened = await open(NEVER)
  let changes = 0
  const stop = opened.onChange(() => changes++)
  await opened.refresh()
  expect(changes).toBe(0)
  stop()
  await published(OTHER, renamed(OTHER))
  await opened.refresh()
  expect([changes, opened.current(dataset(OTHER)).degraded]).toEqual([0, false])
})
