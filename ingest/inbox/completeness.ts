import type { Found } from './look.ts'

interface Seen {
  readonly mark: string
  /** Milliseconds of the process's monotonic clock, since when it has not changed. */
  readonly since: number
}

/** What a look at the inbox found, by whether it is whole. */
export interface Judged {
  readonly complete: readonly Found[]
  /** Files that may still be written. */
  readonly arriving: readonly Found[]
}

/**
 * Tells files that are whole from those that are being written. A file is whole when
 *
 * - its mark lies beside it, or
 * - it was renamed after its last byte was written, and was the same at the look before, or
 * - nothing about it has changed for `settleMs`.
 *
 * Nothing is judged by the clock of the disk, which may be another machine's.
 *
 * @returns what judges one look after the other
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
      return one.isMoved ? stable > 0 : stable >= settleMs
    }
    return { complete: found.filter(isComplete), arriving: found.filter(one => !isComplete(one)) }
  }
}
