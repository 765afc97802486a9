import { isUnwritable } from '../state/index.ts'
import { type Entry, resolveBatch, type Use } from './batch.ts'
import type { Spill } from './spill.ts'
import type { UsageTotals } from './totals.ts'

export interface BacklogDeps {
  readonly totals: UsageTotals
  readonly commit: (batch: readonly Entry[]) => void
  /** True if the use is in the ledger. The ledger may contain the use even if the commit failed. */
  readonly isBooked: (entry: Entry) => boolean
  readonly flush: () => void
  readonly alert: LedgerAlert
  readonly spill: Spill
  readonly onDrained: () => void
}

/**
 * Called after every failed commit.
 *
 * @param waiting number of entries that wait for a commit
 * @param lost the number of lost charges
 */
export type LedgerAlert = (error: unknown, waiting: number, lost?: number) => void

const SLICE_ENTRIES = 1_000
/** Enough entries for several minutes of traffic. */
const MAX_ENTRIES = 100_000
const CLOSE_TIMEOUT_MS = 5_000

/**
 * Queues entries in memory and on disk while commits fail. The entries count against the balance. A
 * killed process loses no use.
 */
export function createBacklog({ totals, commit, isBooked, flush, alert, spill, onDrained }: BacklogDeps) {
  const entries: Entry[] = []
  const pause = createRetryTimer(flush, alert)
  let unstored = 0
  const countUnstored = (batch: readonly Entry[]): number => usesOf(batch).filter(use => !spill.has(use)).length
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
    /** Number of uses that are only in memory. */
    unstored: (): number => unstored,
    /**
     * Queues a batch if the last commit failed less than a second ago.
     *
     * @returns false if the batch was not queued
     */
    enqueueDuringPause(batch: readonly Entry[]): boolean {
      const fault = pause.current()
      if (fault) enqueue(batch, fault.error)
      return fault !== undefined
    },
    /** Queues a batch after a temporary fault. After other faults, rejects the callers. */
    handleFailure(batch: readonly Entry[], error: unknown): void {
      if (isTransient(error)) enqueue(batch, error)
      else resolveBatch(batch, error)
      pause.start(error, entries.length)
    },
    /** Commits in slices, so that a long backlog does not block the event loop. */
    drain,
    retryNow: pause.end,
    addUnawaited(uses: readonly Use[]): void {
      const added = uses.map(use => ({ use, done: () => {}, failed: () => {} }))
      for (const entry of added) entries.push(entry)
      addToTotals(totals, added, 1)
    },
    /**
     * Commits all entries, or stores the entries on disk. Call last, before closing the database.
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

/** @param sign 1 to add, -1 to subtract */
function addToTotals(totals: UsageTotals, batch: readonly Entry[], sign: 1 | -1): void {
  for (const entry of batch)
    if ('use' in entry) totals.addPending({ accountId: entry.use.accountId, day: entry.use.at, credits: sign * entry.use.credits })
}

/** True for temporary faults, for example a full disk or a locked file. */
const isTransient = (error: unknown): boolean => isUnwritable(error) || String((error as { code?: string }).code).startsWith('SQLITE_IOERR')

const RETRY_MS = 1_000

/** Retries only once per second, because a commit that waits for a lock blocks reads. */
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
