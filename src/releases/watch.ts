import { type FSWatcher, watch } from 'node:fs'
import { storedName } from '../../catalog/index.ts'
import type { Log } from '../core/index.ts'
import { releasePaths } from './manifest.ts'

export interface PointerEvents {
  /** Watches again what a failure ended. */
  reopen(): void
  close(): void
}

/**
 * Calls `changed` when `current` of a dataset may have been replaced, from the first publication on.
 *
 * A hint and no promise: some file systems report nothing, and the system may run out of watches. The first failure is logged, and the
 * caller checks by itself from time to time.
 */
export function watchPointers(root: string, slugs: readonly string[], log: Log, changed: () => void): PointerEvents {
  const watchers = new Map<string, FSWatcher>()
  /** What opens the watch of a folder again, where it failed. */
  const lost = new Map<string, () => void>()
  let reported = false
  const failed = (error: unknown): void => {
    if (!reported) log('failed', { during: 'watching the releases folder', error: String(error) })
    reported = true
  }
  const follow = (folder: string, event: (name: string | null) => void): void => {
    watchers.get(folder)?.close()
    watchers.delete(folder)
    lost.delete(folder)
    const lose = (error: unknown): void => {
      lost.set(folder, () => follow(folder, event))
      failed(error)
    }
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => event(name))
      watcher.on('error', error => {
        watcher.close()
        if (watchers.get(folder) !== watcher) return
        watchers.delete(folder)
        lose(error)
      })
      watchers.set(folder, watcher)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') lose(error)
    }
  }
  const followDataset = (slug: string): void =>
    follow(releasePaths(root, slug).home, name => {
      // The folder itself is gone.
      const own = name === storedName(slug)
      if (own) followDataset(slug)
      if (name === null || own || name === 'current') changed()
    })
  const known = new Map(slugs.map(slug => [storedName(slug), slug]))
  follow(root, name => {
    // A folder that was made, or took another's place, is another to watch.
    for (const [folder, slug] of known) if (name === null || name === folder) followDataset(slug)
    changed()
  })
  for (const slug of slugs) followDataset(slug)
  return {
    reopen() {
      for (const open of [...lost.values()]) open()
    },
    close() {
      lost.clear()
      for (const watcher of watchers.values()) watcher.close()
    },
  }
}
