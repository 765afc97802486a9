import { type Entry, resolveBatch } from './batch.ts'
import type { UsageTotals } from './totals.ts'

/** What a backlog needs of the ledger around it. */
export interface BacklogDeps {
  readonly totals: UsageTotals
  readonly commit: (batch: readonly Entry[]) => void
  /** True for a use that is in the file: a commit may fail after it reached the file. */
  readonly isBooked: (entry: Entry) => boolean
  /** Writes what is queued, then a slice of the backlog. */
  readonly flush: () => void
  /** Called for every commit that failed, with the entries that wait in the backlog. */
  readonly alert: (error: unknown, waiting: number) => void
}

/** Entries committed at once. */
const SLICE = 1_000
/** Entries kept in memory while the disk takes none: some minutes of traffic. */
const MAX_ENTRIES = 100_000

/**
 * Entries that wait while the disk is full or another process writes. Nobody waits for them, they count against the balance, and they
 * are committed once that is possible. A killed process loses them.
 */
export function createBacklog({ totals, commit, isBooked, flush, alert }: BacklogDeps) {
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
    /** Tries everything once more, then stops retrying; the last call before the file is closed. */
    close() {
      pause.end()
      while (entries.length > 0 && !pause.fault()) drain()
      pause.cancel()
    },
  }
}

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
