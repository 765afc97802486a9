import { type FSWatcher, watch } from 'node:fs'
import type { Log } from '../core/index.ts'
import { releasePaths } from './manifest.ts'

export interface PointerEvents {
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
  let reported = false
  const failed = (error: unknown): void => {
    if (!reported) log('failed', { during: 'watching the releases folder', error: String(error) })
    reported = true
  }
  const follow = (folder: string, event: (name: string | null) => void): void => {
    watchers.get(folder)?.close()
    watchers.delete(folder)
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => event(name))
      watcher.on('error', error => {
        watcher.close()
        failed(error)
      })
      watchers.set(folder, watcher)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') failed(error)
    }
  }
  const followDataset = (slug: string): void =>
    follow(releasePaths(root, slug).home, name => {
      if (name === null || name === 'current') changed()
    })
  const known = new Set(slugs)
  follow(root, name => {
    // A folder that was made, or took another's place, is another to watch.
    for (const slug of name === null ? known : [name]) if (known.has(slug)) followDataset(slug)
    changed()
  })
  for (const slug of known) followDataset(slug)
  return {
    close() {
      for (const watcher of watchers.values()) watcher.close()
    },
  }
}
