import type { Database } from '../state/db.ts'
import { openOwed } from './backlog.ts'
import { type Entry, type Miss, settle, type Use } from './entry.ts'
import { ledgerCommit } from './ledger-commit.ts'
import { openSpent } from './totals.ts'

/** Pages of log, 4 KB each, before they are moved into the state file: that syncs the disk, and every read waits for it. */
const CHECKPOINT_PAGES = 8_000

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
  const spent = openSpent(db)
  const commit = ledgerCommit(db, spent)
  const booked = db.prepare('SELECT 1 FROM usage_ledger WHERE request_id = ?')
  const isBooked = (entry: Entry): boolean => 'use' in entry && booked.get(entry.use.requestId) !== undefined
  let queue: Entry[] = []
  const flush = (): void => {
    const batch = queue
    queue = []
    if (batch.length + owed.count() === 0 || owed.holds(batch)) return
    try {
      if (batch.length > 0) commit(batch)
      settle(batch)
    } catch (error) {
      return owed.failed(batch, error)
    }
    owed.payBack()
  }
  const owed = openOwed({ spent, commit, isBooked, flush, alert })
  const enqueue = (entry: Entry): void => {
    if (queue.push(entry) === 1) setImmediate(flush)
  }
  return {
    /** Resolves once the use is committed, or owed. @throws when it could be neither; then nothing of the batch was recorded */
    record: (use: Use): Promise<void> => new Promise((done, failed) => enqueue({ use, done, failed })),
    /** Counts a read that was not answered. Committed with the next batch; nobody waits for it. */
    recordFailure: (miss: Miss): void => enqueue({ miss }),
    /** Credits an account used in a period, `YYYY-MM`, owed ones included. */
    used: spent.of,
    /** Commits what is queued now, without waiting for the turn of the event loop to end. */
    flush: owed.tryNow,
    /** Commits what is queued or owed and stops trying; the last thing before the file is closed. */
    close: owed.close,
  }
}

export type Ledger = ReturnType<typeof openLedger>
