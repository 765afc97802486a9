import type { FSWatcher } from 'node:fs'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createLog } from '../../src/core/index.ts'
import { openReleases } from '../../src/releases/index.ts'
import { dataFolder, openTestWorkspace } from '../support.ts'

const watched = vi.hoisted(() => [] as { readonly folder: string; readonly watcher: FSWatcher }[])
vi.mock('node:fs', async original => {
  const fs = await original<typeof import('node:fs')>()
  const watch = (folder: string, options: object, listener: () => void): FSWatcher => {
    const watcher = fs.watch(folder, options, listener)
    watched.push({ folder, watcher })
    return watcher
  }
  return { ...fs, watch }
})

let folder: Awaited<ReturnType<typeof dataFolder>>
let workspace: Awaited<ReturnType<typeof openTestWorkspace>>
beforeEach(async () => {
  folder = await dataFolder()
  workspace = await openTestWorkspace(folder.dir)
})
afterEach(async () => {
  workspace.close()
  await folder.remove()
})

it('a folder whose watch failed is watched again from the next check on', async () => {
  const { releases: root, catalog } = workspace
  const releases = await openReleases({ root, catalog, log: createLog('silent'), checkMs: 20 })
  const opened = (): number => watched.filter(one => one.folder === root).length
  const before = opened()
  watched.find(one => one.folder === root)!.watcher.emit('error', new Error('lost'))
  await expect.poll(opened).toBe(before + 1)
  releases.close()
})
