import { isUnwritable } from '../state/index.ts'
import { type Entry, resolveBatch, type Use } from './batch.ts'
import type { Spill } from './spill.ts'
import type { UsageTotals } from './totals.ts'

/** Parts of the ledger that the backlog uses. */
export interface BacklogDeps {
  readonly totals: UsageTotals
  readonly commit: (batch: readonly Entry[]) => void
  /**
   * True if the use is in the ledger. A commit that reported an error may still have reached the
   * file.
   */
  readonly isBooked: (entry: Entry) => boolean
  /** Commits the queue of the ledger, then a slice of the backlog. */
  readonly flush: () => void
  readonly alert: LedgerAlert
  /** Stores the uses of the backlog on disk, so that a killed process does not lose them. */
  readonly spill: Spill
  /** Called each time the backlog becomes empty. */
  readonly onDrained: () => void
}

/**
 * Called after every failed commit.
 *
 * @param waiting number of entries in the backlog
 * @param lost number of charged uses that were lost when the process stopped or started
 */
export type LedgerAlert = (error: unknown, waiting: number, lost?: number) => void

const SLICE_ENTRIES = 1_000
/**
 * Maximum number of entries in memory while commits fail. This is enough for several minutes of
 * traffic.
 */
const MAX_ENTRIES = 100_000
/**
 * Maximum time for retries when the process stops, in ms. Applies if uses can be neither committed
 * nor stored.
 */
const CLOSE_TIMEOUT_MS = 5_000

/**
 * Queues entries in memory while commits fail because the disk is full, failing or read-only, or
 * because another process locks the file. Callers do not wait, and the entries count against the
 * balance.
 *
 * Before a caller continues, the use is also written to the spill file (`state.sqlite.owed`). A
 * killed process therefore loses no use. If the spill file is full, a later retry stores the use.
 */
export function createBacklog({ totals, commit, isBooked, flush, alert, spill, onDrained }: BacklogDeps) {
  const entries: Entry[] = []
  const pause = createRetryTimer(flush, alert)
  let unstored = 0
  const countUnstored = (batch: readonly Entry[]): number => usesOf(batch).filter(use => !spill.has(use)).length
  /**
   * Stores new uses in the spill file. After a failure, `storeAll` stores them at the next retry.
   */
  const store = (batch: readonly Entry[]): void => {
    if (unstored === 0) tryTo(() => spill.append(usesOf(batch)))
    unstored += countUnstored(batch)
  }
  /**
   * Stores all uses of the backlog. @returns the error if some uses could not be stored or synced
   */
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
    /** Returns the number of uses that are only in memory, because the spill file is full too. */
    unstored: (): number => unstored,
    /**
     * Queues a batch without trying to commit it, if the last commit failed less than a second ago.
     *
     * @returns false if the batch was not queued
     */
    enqueueDuringPause(batch: readonly Entry[]): boolean {
      const fault = pause.current()
      if (fault) enqueue(batch, fault.error)
      return fault !== undefined
    },
    /**
     * Handles a batch whose commit failed. If the fault is temporary, the batch is queued.
     * Otherwise its callers are rejected.
     */
    handleFailure(batch: readonly Entry[], error: unknown): void {
      if (isTransient(error)) enqueue(batch, error)
      else resolveBatch(batch, error)
      pause.start(error, entries.length)
    },
    /**
     * Commits one slice and schedules the next one. Slices prevent a long backlog from blocking the
     * event loop.
     */
    drain,
    retryNow: pause.end,
    /**
     * Adds uses that were read from the spill file. No caller waits for them. They count against
     * the balance immediately.
     */
    addUnawaited(uses: readonly Use[]): void {
      const added = uses.map(use => ({ use, done: () => {}, failed: () => {} }))
      for (const entry of added) entries.push(entry)
      addToTotals(totals, added, 1)
    },
    /**
     * Commits all entries, or stores their uses in the spill file. Must be the last call before the
     * database is closed. If neither is possible, the process is blocked by retries for up to
     * CLOSE_TIMEOUT_MS. Then the uses are reported as lost.
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

/** @returns the error that `work` throws; undefined if it throws none */
function tryTo(work: () => void): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
}

const usesOf = (batch: readonly Entry[]): readonly Use[] => batch.flatMap(entry => ('use' in entry ? [entry.use] : []))

/** Adds the credits of a batch to the pending credits (`sign` 1), or subtracts them (`sign` -1). */
function addToTotals(totals: UsageTotals, batch: readonly Entry[], sign: 1 | -1): void {
  for (const entry of batch)
    if ('use' in entry) totals.addPending({ accountId: entry.use.accountId, day: entry.use.at, credits: sign * entry.use.credits })
}

/** True for temporary faults: the disk is full, read-only or failing, or the file is locked. */
const isTransient = (error: unknown): boolean => isUnwritable(error) || String((error as { code?: string }).code).startsWith('SQLITE_IOERR')

const RETRY_MS = 1_000

/**
 * Schedules the retry after a fault. A commit that waits for a lock blocks every read, so there is
 * only one retry per second.
 */
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
