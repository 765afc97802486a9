import type { Database } from '../state/db.ts'
import { createBacklog } from './backlog.ts'
import { createBatchCommit, type Entry, type Failure, resolveBatch, type Use } from './batch.ts'
import { createUsageTotals } from './totals.ts'

/** Pages of log, 4 KB each, before they are moved into the state file: that syncs the disk, and every read waits for it. */
const CHECKPOINT_PAGES = 8_000

/**
 * The usage ledger. Uses recorded in one turn of the event loop are committed together before any of them resolves, so every answer that
 * leaves is in the ledger. The connection syncs NORMAL: a killed process loses nothing, and a FULL commit at least once a second under
 * traffic bounds what a power cut can take.
 *
 * While the disk is full or the file is busy, reads go on: their entries wait in a backlog, count against the balance, and are committed
 * once that is possible.
 *
 * @param alert called for every commit that failed, with the entries that wait in the backlog
 */
export function openLedger(db: Database, alert: (error: unknown, waiting: number) => void = () => {}) {
  db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
  const totals = createUsageTotals(db)
  const commit = createBatchCommit(db, totals)
  const booked = db.prepare('SELECT 1 FROM usage_ledger WHERE request_id = ?')
  const isBooked = (entry: Entry): boolean => 'use' in entry && booked.get(entry.use.requestId) !== undefined
  let queue: Entry[] = []
  const flush = (): void => {
    const batch = queue
    queue = []
    if (batch.length + backlog.size() === 0 || backlog.takes(batch)) return
    try {
      if (batch.length > 0) commit(batch)
      resolveBatch(batch)
    } catch (error) {
      return backlog.failed(batch, error)
    }
    backlog.drain()
  }
  const backlog = createBacklog({ totals, commit, isBooked, flush, alert })
  const enqueue = (entry: Entry): void => {
    if (queue.push(entry) === 1) setImmediate(flush)
  }
  return {
    /** Resolves once the use is committed or in the backlog. @throws when neither was possible; nothing of its batch is recorded then */
    record: (use: Use): Promise<void> => new Promise((done, failed) => enqueue({ use, done, failed })),
    /** Counts a read that was not answered. Committed with the next batch; nobody waits for it. */
    recordFailure: (failure: Failure): void => enqueue({ failure }),
    /** Credits an account used in a period, `YYYY-MM`, those of the backlog included. */
    used: totals.of,
    /** Commits what is queued now, without waiting for the turn of the event loop to end. */
    flush: backlog.retryNow,
    /** Commits what is queued or in the backlog, then stops retrying; the last call before the connection is closed. */
    close: backlog.close,
  }
}

export type Ledger = ReturnType<typeof openLedger>
