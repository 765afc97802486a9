import { type Entry, settle } from './entry.ts'
import { openRetry } from './retry.ts'
import type { Spent } from './totals.ts'

/** What owing needs of the ledger around it. */
export interface OwedParts {
  readonly spent: Spent
  readonly commit: (batch: readonly Entry[]) => void
  /** True for a use that is in the file: a commit may fail after it reached it. */
  readonly isBooked: (entry: Entry) => boolean
  /** Looks at what there is to write: first what is queued, then what is owed. */
  readonly flush: () => void
  /** Told of every commit that failed. */
  readonly alert: (error: unknown, owed: number) => void
}

/** Owed entries committed at once. */
const SLICE = 1_000
/** Entries kept in memory while the disk takes none: some minutes of traffic. */
const MOST_OWED = 100_000

/** Entries owed while the disk takes none: nobody waits for them, they count against the balance, and are committed once there is room. */
export function openOwed({ spent, commit, isBooked, flush, alert }: OwedParts) {
  const owed: Entry[] = []
  const retry = openRetry(flush, alert)
  const owe = (batch: readonly Entry[], error: unknown): void => {
    const room = owed.length + batch.length <= MOST_OWED
    if (room) {
      owed.push(...batch)
      spent.owe(batch)
    }
    settle(batch, room ? undefined : error)
  }
  /** Commits a slice of what is owed, and the next one a turn later: however much it is, it stalls nobody and needs little room. */
  const payBack = (): void => {
    if (owed.length === 0) return
    try {
      const slice = owed.slice(0, SLICE)
      commit(slice.filter(entry => !isBooked(entry)))
      spent.pay(owed.splice(0, slice.length))
      if (owed.length > 0) setImmediate(flush)
    } catch (error) {
      retry.later(error, owed.length)
    }
  }
  return {
    count: (): number => owed.length,
    /** Owes a batch untried while a fault is waited out. @returns false when there is none, and the batch is to be tried */
    holds(batch: readonly Entry[]): boolean {
      const fault = retry.waiting()
      if (fault) owe(batch, fault.error)
      return fault !== undefined
    },
    /** A batch was not committed: it is owed where the fault goes away by itself, and failed where it does not. */
    failed(batch: readonly Entry[], error: unknown): void {
      if (isPassing(error)) owe(batch, error)
      else settle(batch, error)
      retry.later(error, owed.length)
    },
    payBack,
    /** Tries what is queued and a slice of what is owed at once. */
    tryNow: retry.now,
    /** Tries everything now, and stops trying; the last thing before the file is closed. */
    close() {
      retry.now()
      while (owed.length > 0 && !retry.waiting()) payBack()
      retry.stop()
    },
  }
}

/** True for a fault that goes away by itself: no room on the disk, another process writing. */
const isPassing = (error: unknown): boolean => /^SQLITE_(FULL|BUSY|IOERR)/.test(String((error as { code?: string }).code))
