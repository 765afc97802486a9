import { type Entry, resolveBatch, type Use } from './batch.ts'
import type { Spill } from './spill.ts'
import type { UsageTotals } from './totals.ts'

/** What a backlog needs of the ledger around it. */
export interface BacklogDeps {
  readonly totals: UsageTotals
  readonly commit: (batch: readonly Entry[]) => void
  /** True for a use that is in the file: a commit may fail after it reached the file. */
  readonly isBooked: (entry: Entry) => boolean
  /** Writes what is queued, then a slice of the backlog. */
  readonly flush: () => void
  readonly alert: LedgerAlert
  /** Where uses go that cannot be committed before the end. */
  readonly spill: Spill
  /** Called whenever nothing waits any more. */
  readonly drained: () => void
}

/**
 * Called for every commit that failed.
 *
 * @param waiting entries that wait in the backlog
 * @param lost charged uses that were given up, at a stop or at a start
 */
export type LedgerAlert = (error: unknown, waiting: number, lost?: number) => void

/** Entries committed at once. */
const SLICE = 1_000
/** Entries kept in memory while the disk takes none: some minutes of traffic. */
const MAX_ENTRIES = 100_000
/** How long a stop waits for room when the uses it owes can neither be committed nor spilled. */
const LAST_WAIT_MS = 5_000

/**
 * Entries that wait while the disk is full or another process writes. Nobody waits for them, they count against the balance, and they
 * are committed once that is possible. A stop leaves them in the spill file; a killed process loses them.
 */
export function createBacklog({ totals, commit, isBooked, flush, alert, spill, drained }: BacklogDeps) {
  const entries: Entry[] = []
  const pause = createRetryPause(flush, alert)
  const enqueue = (batch: readonly Entry[], error: unknown): void => {
    const fits = entries.length + batch.length <= MAX_ENTRIES
    if (fits) {
      entries.push(...batch)
      charge(totals, batch, 1)
    }
    resolveBatch(batch, fits ? undefined : error)
  }
  const drain = (): void => {
    if (entries.length === 0) return
    try {
      const slice = entries.slice(0, SLICE)
      commit(slice.filter(entry => !isBooked(entry)))
      charge(totals, entries.splice(0, slice.length), -1)
      if (entries.length > 0) setImmediate(flush)
      else drained()
    } catch (error) {
      pause.begin(error, entries.length)
    }
  }
  return {
    size: (): number => entries.length,
    /** Enqueues a batch untried while a fault is waited out. @returns false when there is none and the batch is to be tried */
    takes(batch: readonly Entry[]): boolean {
      const fault = pause.fault()
      if (fault) enqueue(batch, fault.error)
      return fault !== undefined
    },
    /** Handles a batch that was not committed: enqueued when the fault is transient, failed when it is not. */
    failed(batch: readonly Entry[], error: unknown): void {
      if (isTransient(error)) enqueue(batch, error)
      else resolveBatch(batch, error)
      pause.begin(error, entries.length)
    },
    /** Commits a slice of the backlog, and the next one a turn later: a long backlog stalls nobody and needs little room on the disk. */
    drain,
    /** Writes what is queued and a slice of the backlog at once, even while a fault is waited out. */
    retryNow: pause.end,
    /** Takes in uses that nobody waits for, those of the spill file. They count against the balance at once. */
    takeOver(uses: readonly Use[]): void {
      const taken = uses.map(use => ({ use, done: () => {}, failed: () => {} }))
      for (const entry of taken) entries.push(entry)
      charge(totals, taken, 1)
    },
    /**
     * Tries everything once more, puts what is left into the spill file, then stops retrying; the last call before the file is closed.
     * Where neither has room it waits for some, blocking the process, and says at last how many uses are lost.
     */
    close() {
      const until = performance.now() + LAST_WAIT_MS
      const isKept = (): boolean => {
        pause.end()
        while (entries.length > 0 && !pause.fault()) drain()
        return entries.length === 0 || spillAll()
      }
      const spillAll = (): boolean => {
        try {
          spill.append(usesOf(entries))
          return true
        } catch (error) {
          if (performance.now() >= until) alert(error, entries.length, usesOf(entries).length)
          return false
        }
      }
      while (!isKept() && performance.now() < until) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS)
      pause.cancel()
      entries.length = 0
    },
  }
}

const usesOf = (batch: readonly Entry[]): readonly Use[] => batch.flatMap(entry => ('use' in entry ? [entry.use] : []))

/** Adds the uses of a batch to what the backlog charges, or takes them out of it. */
function charge(totals: UsageTotals, batch: readonly Entry[], sign: 1 | -1): void {
  for (const entry of batch)
    if ('use' in entry) totals.addBacklog({ accountId: entry.use.accountId, day: entry.use.at, credits: sign * entry.use.credits })
}

/** True for a fault that goes away by itself: no room on the disk, another process writing. */
const isTransient = (error: unknown): boolean => /^SQLITE_(FULL|BUSY|IOERR)/.test(String((error as { code?: string }).code))

const RETRY_MS = 1_000

/**
 * The pause after a fault. A commit that waits for another process blocks every read, so one is tried each second rather than each turn
 * of the event loop.
 */
function createRetryPause(retry: () => void, alert: BacklogDeps['alert']) {
  let pause: { readonly timer: NodeJS.Timeout; readonly error: unknown } | undefined
  const end = (): void => {
    clearTimeout(pause?.timer)
    pause = undefined
    retry()
  }
  return {
    /** The fault that is waited out; undefined when nothing keeps a commit from being tried. */
    fault: (): { readonly error: unknown } | undefined => pause,
    /** Reports a fault and, when entries wait, schedules a retry. */
    begin(error: unknown, waiting: number): void {
      alert(error, waiting)
      if (waiting > 0) pause = { error, timer: setTimeout(end, RETRY_MS).unref() }
    },
    /** Retries immediately. */
    end,
    /** Cancels the scheduled retry. */
    cancel: (): void => clearTimeout(pause?.timer),
  }
}
