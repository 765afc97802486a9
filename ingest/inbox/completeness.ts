import type { Found } from './look.ts'

interface Seen {
  readonly mark: string
  /** Time of the last change, in ms of a monotonic clock. */
  readonly since: number
}

/**
 * Milliseconds without a change after which a renamed file is complete. Files that belong
 * together, such as two markets of one day, should arrive within this time.
 */
export const MOVED_MS = 150

export interface Judged {
  readonly complete: readonly Found[]
  /** Files that may still be written. */
  readonly arriving: readonly Found[]
}

/**
 * Finds complete files. A file is complete if
 * - a `.done` file exists for it, or
 * - it was renamed after its last write and is unchanged for `MOVED_MS`, or
 * - it is unchanged for `settleMs`.
 * File times are never compared with `now`, because the clock of a network disk may differ.
 *
 * @returns a function to call after each scan
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
