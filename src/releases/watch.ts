import { type FSWatcher, watch } from 'node:fs'
import { storedName } from '../../catalog/index.ts'
import type { Log } from '../core/index.ts'
import { releasePaths } from './manifest.ts'

export interface PointerEvents {
  reopen(): void
  close(): void
}

/**
 * Calls `changed` when a file `current` may have changed. The caller must also poll, because some
 * file systems report no events.
 */
export function watchPointers(root: string, slugs: readonly string[], log: Log, changed: () => void): PointerEvents {
  const watchers = new Map<string, FSWatcher>()
  const failedWatches = new Map<string, () => void>()
  let reported = false
  const reportFailure = (error: unknown): void => {
    if (!reported) log('failed', { during: 'watching the releases folder', error: String(error) })
    reported = true
  }
  const watchFolder = (folder: string, event: (name: string | null) => void): void => {
    watchers.get(folder)?.close()
    watchers.delete(folder)
    failedWatches.delete(folder)
    const watchFailed = (error: unknown): void => {
      failedWatches.set(folder, () => watchFolder(folder, event))
      reportFailure(error)
    }
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => event(name))
      watcher.on('error', error => {
        watcher.close()
        if (watchers.get(folder) !== watcher) return
        watchers.delete(folder)
        watchFailed(error)
      })
      watchers.set(folder, watcher)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') watchFailed(error)
    }
  }
  const watchDataset = (slug: string): void =>
    watchFolder(releasePaths(root, slug).home, name => {
      // An event with the folder's own name means that the folder was removed or renamed.
      const isFolder = name === storedName(slug)
      if (isFolder) watchDataset(slug)
      if (name === null || isFolder || name === 'current') changed()
    })
  const slugByFolder = new Map(slugs.map(slug => [storedName(slug), slug]))
  watchFolder(root, name => {
    // A new or replaced folder needs a new watch.
    for (const [folder, slug] of slugByFolder) if (name === null || name === folder) watchDataset(slug)
    changed()
  })
  for (const slug of slugs) watchDataset(slug)
  return {
    reopen() {
      for (const open of [...failedWatches.values()]) open()
    },
    close() {
      failedWatches.clear()
      for (const watcher of watchers.values()) watcher.close()
    },
  }
}
