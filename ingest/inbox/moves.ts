import { type FSWatcher, watch } from 'node:fs'
import { join } from 'node:path'

/** Detects files that were renamed into their folder. */
export interface Moves {
  follow(folders: readonly string[], files: readonly string[]): void
  /** True for a file that appeared and was not written to afterwards. */
  isMoved(path: string): boolean
  /**
   * False if the system does not report the changes of some folder. Scans still find these
   * changes.
   */
  isComplete(): boolean
  [Symbol.dispose](): void
}

/**
 * Maximum number of events between two scans. More events may be lost, because the system buffers
 * only 16,384.
 */
const MOST_EVENTS = 8_000

/**
 * Watches folders for renamed files. Linux reports the creation of a file before the writes to it.
 * A file that appears with content, but without a reported write, was therefore renamed. On other
 * systems, no file counts as renamed.
 *
 * @param onChange called for each reported change
 */
export function openMoves(onChange: () => void): Moves {
  const watchers = new Map<string, FSWatcher>()
  let isComplete = false
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
        onChange()
        if (name === null) return
        if (type === 'rename') appeared.add(join(folder, name))
        else appeared.delete(join(folder, name))
      })
      watcher.on('error', () => drop(folder))
      watchers.set(folder, watcher)
    } catch {
      // The system limits the number of watches. Without a watch, a file is processed when it no
      // longer changes.
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
      isComplete = watchers.size === wanted.size
    },
    isMoved: path => appeared.has(path),
    isComplete: () => isComplete,
    [Symbol.dispose]() {
      for (const folder of watchers.keys()) drop(folder)
    },
  }
}
