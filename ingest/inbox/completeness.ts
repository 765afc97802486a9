import type { Found } from './look.ts'

interface Seen {
  readonly mark: string
  /** Monotonic time of the last change, in milliseconds. */
  readonly since: number
}

/**
 * Milliseconds without a change after which a renamed file is complete. Files that belong together,
 * such as two markets of one day, should arrive within this time.
 */
export const MOVED_MS = 150

/** Files of a scan, divided into complete and incomplete ones. */
export interface Judged {
  readonly complete: readonly Found[]
  /** Files that may still be written. */
  readonly arriving: readonly Found[]
}

/**
 * Distinguishes complete files from files that are still being written. A file is complete if
 *
 * - a `.done` file exists for it, or
 * - it was renamed after its last byte was written, and has not changed for a short time, or
 * - it has not changed for `settleMs`.
 *
 * Does not use file times for durations, because the clock of a network disk may differ.
 *
 * @returns a function that judges consecutive scans
 */
export function createCompleteness(settleMs: number): (found: readonly Found[], now: number) => Judged {
  let seen: ReadonlyMap<string, Seen> = new Map()
  return (found, now) => {
    const before = seen
    const sinceOf = ({ path, mark }: Found): number => (before.get(path)?.mark === mark ? before.get(path)!.since : now)
    seen = new Map(found.map(one => [one.path, { mark: one.mark, since: sinceOf(one) }]))
    const isComplete = (one: Found): boolean => {
      if (one.isDone) return true
      const stable = now - sinceOf(one)
      return stable >= (one.isMoved ? MOVED_MS : settleMs)
    }
    return { complete: found.filter(isComplete), arriving: found.filter(one => !isComplete(one)) }
  }
}
