import type { Database } from './db.ts'
import { ledgerWriter } from './ledger-writer.ts'
import { openSpent } from './spent.ts'

/** One charged answer. */
export interface Use {
  readonly requestId: string
  readonly accountId: string
  readonly keyId: string
  readonly dataset: string
  /** RFC 3339 in Taipei; its month is the period charged. */
  readonly at: string
  readonly credits: number
  readonly rows: number
}

/** A read that was refused or failed: counted by day, never charged. */
export type Miss = Pick<Use, 'accountId' | 'keyId' | 'dataset' | 'at'>

export type Entry = { readonly use: Use; readonly done: () => void; readonly failed: (error: unknown) => void } | { readonly miss: Miss }

const ANCHOR_MS = 1_000
const RETRY_MS = 1_000
/** Pages of log, 4 KB each, before they are moved into the state file: that syncs the disk, and every read waits for it. */
const CHECKPOINT_PAGES = 8_000
/** Owed entries committed at once. */
const SLICE = 1_000
/** Entries kept in memory while the disk takes none: some minutes of traffic. */
const MOST_OWED = 100_000

/**
 * The usage ledger. Uses recorded in one turn of the event loop are committed together before any of them resolves, so an answer that
 * leaves is in the ledger. The connection syncs NORMAL: a killed process loses nothing; a FULL commit at least once a second under
 * traffic bounds what a power cut can take.
 *
 * While the disk is full or the file busy, reads go on: their entries are owed, count against the balance, and are committed once
 * there is room.
 *
 * @param alert told of every commit that failed
 */
export function openLedger(db: Database, alert: (error: unknown, owed: number) => void = () => {}) {
  db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
  const write = ledgerWriter(db)
  const spent = openSpent(db)
  let queue: Entry[] = []
  const owed: Entry[] = []
  let anchoredAt = Number.NEGATIVE_INFINITY
  let retry: { readonly timer: NodeJS.Timeout; readonly error: unknown } | undefined
  const commit = (batch: readonly Entry[]): void => {
    const anchor = performance.now() - anchoredAt > ANCHOR_MS
    try {
      if (anchor) db.pragma('synchronous = FULL')
      write(batch)
      spent.commit(batch)
      if (anchor) anchoredAt = performance.now()
    } catch (error) {
      spent.forget()
      throw error
    } finally {
      if (anchor) db.pragma('synchronous = NORMAL')
    }
  }
  const owe = (batch: readonly Entry[], error: unknown): void => {
    const room = owed.length + batch.length <= MOST_OWED
    if (room) {
      owed.push(...batch)
      spent.owe(batch)
    }
    settle(batch, room ? undefined : error)
  }
  const flush = (): void => {
    const batch = queue
    queue = []
    if (batch.length + owed.length === 0) return
    // A try that waits for another process holds every read up, so there is one a while, not one a turn.
    if (retry) return owe(batch, retry.error)
    try {
      if (batch.length > 0) commit(batch)
      settle(batch)
    } catch (error) {
      if (isPassing(error)) owe(batch, error)
      else settle(batch, error)
      return later(error)
    }
    payBack()
  }
  /** Commits a slice of what is owed, and the next one a turn later: however much it is, it stalls nobody and needs little room. */
  const payBack = (): void => {
    if (owed.length === 0) return
    try {
      const slice = owed.slice(0, SLICE)
      commit(slice)
      spent.pay(owed.splice(0, slice.length))
      if (owed.length > 0) setImmediate(flush)
    } catch (error) {
      later(error)
    }
  }
  const later = (error: unknown): void => {
    alert(error, owed.length)
    if (owed.length > 0) retry = { error, timer: setTimeout(again, RETRY_MS).unref() }
  }
  const again = (): void => {
    clearTimeout(retry?.timer)
    retry = undefined
    flush()
  }
  const enqueue = (entry: Entry): void => {
    if (queue.push(entry) === 1) setImmediate(flush)
  }
  return {
    /** Resolves once the use is committed, or owed. @throws when it could be neither; then nothing of the batch was recorded */
    record: (use: Use): Promise<void> => new Promise((done, failed) => enqueue({ use, done, failed })),
    /** Counts a read that was not answered. Committed with the next batch; nobody waits for it. */
    miss: (miss: Miss): void => enqueue({ miss }),
    /** Credits an account used in a period, `YYYY-MM`, owed ones included. */
    used: spent.of,
    /** Commits what is queued or owed; the last thing before the file is closed. */
    flush() {
      again()
      while (owed.length > 0 && !retry) payBack()
      clearTimeout(retry?.timer)
    },
  }
}

const settle = (batch: readonly Entry[], error?: unknown): void => {
  for (const entry of batch) if ('use' in entry) error === undefined ? entry.done() : entry.failed(error)
}

/** True for a fault that goes away by itself: no room on the disk, another process writing. */
const isPassing = (error: unknown): boolean => /^SQLITE_(FULL|BUSY|IOERR)/.test(String((error as { code?: string }).code))

export type Ledger = ReturnType<typeof openLedger>
