import fs, { type FSWatcher } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createLog } from '../../src/core/index.ts'
import { openReleases } from '../../src/releases/index.ts'
import { dataFolder, openTestWorkspace } from '../support.ts'

/** Every watch opened during the test, with its folder. */
const watched: { readonly folder: unknown; readonly watcher: FSWatcher }[] = []
const { watch } = fs

let folder: Awaited<ReturnType<typeof dataFolder>>
let workspace: Awaited<ReturnType<typeof openTestWorkspace>>
beforeEach(async () => {
  fs.watch = ((...args: Parameters<typeof watch>) => {
    const watcher = watch(...args)
    watched.push({ folder: args[0], watcher })
    return watcher
  }) as typeof watch
  syncBuiltinESMExports()
  folder = await dataFolder()
  workspace = await openTestWorkspace(folder.dir)
})
afterEach(async () => {
  fs.watch = watch
  syncBuiltinESMExports()
  workspace.close()
  await folder.remove()
})

it('the next check watches a folder again after its watch failed', async () => {
  const { releases: root, catalog } = workspace
  const releases = await openReleases({ root, catalog, log: createLog('silent'), checkMs: 20 })
  const opened = (): number => watched.filter(one => one.folder === root).length
  const before = opened()
  watched.find(one => one.folder === root)!.watcher.emit('error', new Error('lost'))
  await expect.poll(opened).toBe(before + 1)
  releases.close()
})
