import { type FSWatcher, watch } from 'node:fs'
import { join } from 'node:path'

/** Which files were renamed into their folder, as the system tells it. */
export interface Moves {
  /** Follows these folders from now on, and remembers these files; no others. */
  follow(folders: readonly string[], files: readonly string[]): void
  /** True for a file that appeared under this name and was not written to since. */
  isMoved(path: string): boolean
  [Symbol.dispose](): void
}

/** More events than this at once, and some may have been lost: the system keeps 16,384. */
const MOST_EVENTS = 8_000

/**
 * Linux tells a file that appears from one that is written to, in order, so a file that has bytes,
 * appeared and was not written to was renamed. Elsewhere, and where folders cannot be followed,
 * nothing is told, and files are known to be whole by other signs.
 */
export function openMoves(): Moves {
  const watchers = new Map<string, FSWatcher>()
  let appeared = new Set<string>()
  let events = 0
  const drop = (folder: string): void => {
    watchers.get(folder)?.close()
    watchers.delete(folder)
  }
  const open = (folder: string): void => {
    try {
      const watcher = watch(folder, { persistent: false }, (type, name) => {
        events++
        if (name === null) return
        if (type === 'rename') appeared.add(join(folder, name))
        else appeared.delete(join(folder, name))
      })
      watcher.on('error', () => drop(folder))
      watchers.set(folder, watcher)
    } catch {
      // A system has only so many watches: files of such a folder are then taken once they have
      // settled.
    }
  }
  return {
    follow(folders, files) {
      if (process.platform !== 'linux') return
      appeared = new Set(events > MOST_EVENTS ? [] : files.filter(path => appeared.has(path)))
      events = 0
      const wanted = new Set(folders)
      for (const folder of watchers.keys()) if (!wanted.has(folder)) drop(folder)
      for (const folder of wanted) if (!watchers.has(folder)) open(folder)
    },
    isMoved: path => appeared.has(path),
    [Symbol.dispose]() {
      for (const folder of watchers.keys()) drop(folder)
    },
  }
}
