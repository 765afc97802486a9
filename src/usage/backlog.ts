import { isUnwritable } from '../state/index.ts'
import { type Entry, resolveBatch, type Use } from './batch.ts'
import type { Spill } from './spill.ts'
import type { UsageTotals } from './totals.ts'

/** Functions and data of the ledger that the backlog needs. */
export interface BacklogDeps {
  readonly totals: UsageTotals
  readonly commit: (batch: readonly Entry[]) => void
  /**
   * True if the use is in the ledger. A commit may report an error although it has reached the
   * file.
   */
  readonly isBooked: (entry: Entry) => boolean
  /** Commits the ledger's queue, then a slice of the backlog. */
  readonly flush: () => void
  readonly alert: LedgerAlert
  /** Stores the uses of the backlog, so that a killed process does not lose them. */
  readonly spill: Spill
  /** Called when the backlog becomes empty. */
  readonly onDrained: () => void
}

/**
 * Called for every failed commit.
 *
 * @param waiting number of entries in the backlog
 * @param lost number of charged uses that were lost when the process stopped or started
 */
export type LedgerAlert = (error: unknown, waiting: number, lost?: number) => void

/** Entries per commit. */
const SLICE_ENTRIES = 1_000
/**
 * Maximum entries in memory while they cannot be committed. This is enough for some minutes of
 * traffic.
 */
const MAX_ENTRIES = 100_000
/**
 * Maximum time in milliseconds for retries during a stop, if uses can be neither committed nor
 * stored.
 */
const CLOSE_TIMEOUT_MS = 5_000

/**
 * Queues entries in memory while the disk is full, failing or read-only, or another process locks
 * the file. Callers do not wait for the commit, and the entries count against the balance.
 *
 * Uses are also written to the spill file before their caller continues, so a killed process loses
 * none. A later retry stores the uses that do not fit into the spill file now.
 */
export function createBacklog({ totals, commit, isBooked, flush, alert, spill, onDrained }: BacklogDeps) {
  const entries: Entry[] = []
  const pause = createRetryTimer(flush, alert)
  let unstored = 0
  const countUnstored = (batch: readonly Entry[]): number => usesOf(batch).filter(use => !spill.has(use)).length
  /**
   * Stores new uses in the spill file. After a failure, the next retry of `storeAll` stores them.
   */
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
    /** Number of uses that are only in memory, because the spill file is full as well. */
    unstored: (): number => unstored,
    /**
     * Queues a batch without trying to commit it, during the pause after a fault.
     *
     * @returns false if there is no pause
     */
    enqueueDuringPause(batch: readonly Entry[]): boolean {
      const fault = pause.current()
      if (fault) enqueue(batch, fault.error)
      return fault !== undefined
    },
    /** Handles a failed batch. Queues the batch if the fault is transient, otherwise rejects it. */
    handleFailure(batch: readonly Entry[], error: unknown): void {
      if (isTransient(error)) enqueue(batch, error)
      else resolveBatch(batch, error)
      pause.start(error, entries.length)
    },
    /**
     * Commits one slice and schedules the next slice, so that a long backlog does not block the
     * event loop.
     */
    drain,
    /** Ends the pause after a fault and flushes immediately. */
    retryNow: pause.end,
    /**
     * Adds uses of the spill file, for which no caller waits. They count against the balance
     * immediately.
     */
    addUnawaited(uses: readonly Use[]): void {
      const added = uses.map(use => ({ use, done: () => {}, failed: () => {} }))
      for (const entry of added) entries.push(entry)
      addToTotals(totals, added, 1)
    },
    /**
     * Commits entries or stores their uses in the spill file. Call it last, before the database is
     * closed. If uses can be neither committed nor stored, retries for up to CLOSE_TIMEOUT_MS,
     * which blocks the process, and then reports them.
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

/** @returns the error that `work` throws, if any */
function tryTo(work: () => void): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
}

const usesOf = (batch: readonly Entry[]): readonly Use[] => batch.flatMap(entry => ('use' in entry ? [entry.use] : []))

/** Adds the uses of a batch to the credits of the backlog (`sign` 1), or subtracts them (-1). */
function addToTotals(totals: UsageTotals, batch: readonly Entry[], sign: 1 | -1): void {
  for (const entry of batch)
    if ('use' in entry) totals.addPending({ accountId: entry.use.accountId, day: entry.use.at, credits: sign * entry.use.credits })
}

/** True for transient faults: a disk that is full, read-only or failing, or a locked file. */
const isTransient = (error: unknown): boolean => isUnwritable(error) || String((error as { code?: string }).code).startsWith('SQLITE_IOERR')

const RETRY_MS = 1_000

/**
 * Schedules retries after a fault. A commit that waits for a lock blocks every read, so commits are
 * retried only once a second.
 */
function createRetryTimer(retry: () => void, alert: BacklogDeps['alert']) {
  let pause: { readonly timer: NodeJS.Timeout; readonly error: unknown } | undefined
  const end = (): void => {
    clearTimeout(pause?.timer)
    pause = undefined
    retry()
  }
  return {
    /** The fault that caused the current pause, if any. */
    current: (): { readonly error: unknown } | undefined => pause,
    /** Reports a fault and schedules a retry if entries are waiting. */
    start(error: unknown, waiting: number): void {
      alert(error, waiting)
      if (waiting > 0) pause = { error, timer: setTimeout(end, RETRY_MS).unref() }
    },
    end,
    cancel: (): void => clearTimeout(pause?.timer),
  }
}
