import { isUnwritable } from '../state/index.ts'
import { type Entry, resolveBatch, type Use } from './batch.ts'
import type { Spill } from './spill.ts'
import type { UsageTotals } from './totals.ts'

export interface BacklogDeps {
  readonly totals: UsageTotals
  readonly commit: (batch: readonly Entry[]) => void
  /**
   * True if the use is in the ledger. A commit that reported an error may have reached the file.
   */
  readonly isBooked: (entry: Entry) => boolean
  /** Commits the queue of the ledger, then a slice of the backlog. */
  readonly flush: () => void
  readonly alert: LedgerAlert
  /** Stores waiting uses on disk, so that a killed process loses none. */
  readonly spill: Spill
  readonly onDrained: () => void
}

/**
 * Called after every failed commit.
 *
 * @param waiting entries that wait for a commit
 * @param lost charged uses that were lost
 */
export type LedgerAlert = (error: unknown, waiting: number, lost?: number) => void

const SLICE_ENTRIES = 1_000
/** Entries in memory while commits fail. Enough for several minutes of traffic. */
const MAX_ENTRIES = 100_000
/** Maximum time for retries when the process stops. */
const CLOSE_TIMEOUT_MS = 5_000

/**
 * Queues entries in memory while commits fail, for example on a full disk. Callers do not wait, and
 * the entries count against the balance. Each use is first written to `state.sqlite.owed`, so a
 * killed process loses none.
 */
export function createBacklog({ totals, commit, isBooked, flush, alert, spill, onDrained }: BacklogDeps) {
  const entries: Entry[] = []
  const pause = createRetryTimer(flush, alert)
  let unstored = 0
  const countUnstored = (batch: readonly Entry[]): number => usesOf(batch).filter(use => !spill.has(use)).length
  /** After a failure, the next retry stores the uses. */
  const store = (batch: readonly Entry[]): void => {
    if (unstored === 0) tryTo(() => spill.append(usesOf(batch)))
    unstored += countUnstored(batch)
  }
  /** @returns the error if some uses could not be stored or synced */
  const storeAll = (): unknown => {
    const error = tryTo(() => {
      spill.append(usesOf(entries))
      spill.sync()
    })
    unstored = countUnstored(entries)
    return error
  }
  const enqueue = (batch: readonly Entry[], error: unknown): void => {
    const fits = entries.length + batch.length <= MAX_ENTRIES
    if (fits) {
      entries.push(...batch)
      addToTotals(totals, batch, 1)
      store(batch)
    }
    resolveBatch(batch, fits ? undefined : error)
  }
  const drain = (): void => {
    if (entries.length === 0) return
    try {
      const slice = entries.slice(0, SLICE_ENTRIES)
      commit(slice.filter(entry => !isBooked(entry)))
      addToTotals(totals, entries.splice(0, slice.length), -1)
    } catch (error) {
      storeAll()
      return pause.start(error, entries.length)
    }
    if (entries.length > 0) return void setImmediate(flush)
    unstored = 0
    const error = tryTo(onDrained)
    if (error !== undefined) alert(error, 0)
  }
  return {
    size: (): number => entries.length,
    /** Uses that are only in memory, because the disk is full. */
    unstored: (): number => unstored,
    /**
     * Queues without a commit, if the last commit failed less than a second ago.
     *
     * @returns false if nothing was queued
     */
    enqueueDuringPause(batch: readonly Entry[]): boolean {
      const fault = pause.current()
      if (fault) enqueue(batch, fault.error)
      return fault !== undefined
    },
    /** Queues a batch after a temporary fault. Rejects its callers after any other. */
    handleFailure(batch: readonly Entry[], error: unknown): void {
      if (isTransient(error)) enqueue(batch, error)
      else resolveBatch(batch, error)
      pause.start(error, entries.length)
    },
    /**
     * Commits one slice and schedules the next. A long backlog therefore does not block the event
     * loop.
     */
    drain,
    retryNow: pause.end,
    /** Adds uses for which no caller waits. They count against the balance immediately. */
    addUnawaited(uses: readonly Use[]): void {
      const added = uses.map(use => ({ use, done: () => {}, failed: () => {} }))
      for (const entry of added) entries.push(entry)
      addToTotals(totals, added, 1)
    },
    /**
     * Commits all entries, or stores their uses on disk. Call last, before the database is closed.
     * Blocks for up to `CLOSE_TIMEOUT_MS`.
     *
     * @returns number of lost uses
     */
    close(): number {
      const deadline = performance.now() + CLOSE_TIMEOUT_MS
      for (;;) {
        pause.end()
        while (entries.length > 0 && !pause.current()) drain()
        const error = entries.length > 0 ? storeAll() : undefined
        const isLast = performance.now() >= deadline
        if (error !== undefined && isLast) alert(error, entries.length, unstored > 0 ? unstored : undefined)
        if (error === undefined || isLast) break
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS)
      }
      pause.cancel()
      entries.length = 0
      return unstored
    },
  }
}

function tryTo(work: () => void): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
}

const usesOf = (batch: readonly Entry[]): readonly Use[] => batch.flatMap(entry => ('use' in entry ? [entry.use] : []))

/** `sign` 1 adds the credits of a batch to the pending credits, -1 subtracts. */
function addToTotals(totals: UsageTotals, batch: readonly Entry[], sign: 1 | -1): void {
  for (const entry of batch)
    if ('use' in entry) totals.addPending({ accountId: entry.use.accountId, day: entry.use.at, credits: sign * entry.use.credits })
}

/** True if the disk is full, read-only or failing, or the file is locked. */
const isTransient = (error: unknown): boolean => isUnwritable(error) || String((error as { code?: string }).code).startsWith('SQLITE_IOERR')

const RETRY_MS = 1_000

/** Retries once per second, because a commit that waits for a lock blocks every read. */
function createRetryTimer(retry: () => void, alert: BacklogDeps['alert']) {
  let pause: { readonly timer: NodeJS.Timeout; readonly error: unknown } | undefined
  const end = (): void => {
    clearTimeout(pause?.timer)
    pause = undefined
    retry()
  }
  return {
    current: (): { readonly error: unknown } | undefined => pause,
    start(error: unknown, waiting: number): void {
      alert(error, waiting)
      if (waiting > 0) pause = { error, timer: setTimeout(end, RETRY_MS).unref() }
    },
    end,
    cancel: (): void => clearTimeout(pause?.timer),
  }
}
