import { type Checkpoints, checkpoint, type Database } from '../state/index.ts'
import type { CreditWatch } from '../webhooks/index.ts'
import { createBacklog, type LedgerAlert } from './backlog.ts'
import { type CommitListener, createBatchCommit, type Entry, resolveBatch, type Use } from './batch.ts'
import { createFailureCounts } from './failures.ts'
import { createLastUses } from './last-uses.ts'
import { createSpill } from './spill.ts'
import { createUsageTotals } from './totals.ts'

const FULL_BATCH = 64
/** Maximum number of turns of the event loop before a commit. */
const MAX_TURNS = 4

/**
 * Opens the usage ledger. Uses that arrive together share a commit. A killed process loses nothing.
 * A power cut can lose about a second. On a full disk, reads continue.
 *
 * @param watch the watch that writes the event for low credits in the same transaction
 * @param checkpoints job that syncs the commits. Default: automatic checkpoints of SQLite
 */
export function openLedger(
  db: Database,
  alert: LedgerAlert = () => {},
  onCommit?: CommitListener,
  watch?: Pick<CreditWatch, 'watches' | 'check'>,
  checkpoints?: Pick<Checkpoints, 'schedule'>,
) {
  const totals = createUsageTotals(db)
  const lastUses = createLastUses(db)
  const commit = createBatchCommit(db, totals, lastUses, onCommit, watch)
  const bookedUse = db.prepare('SELECT 1 FROM usage_ledger WHERE request_id = ?')
  const hasKey = db.prepare('SELECT 1 FROM api_key WHERE id = ? AND account_id = ?')
  const isBooked = (entry: Entry): boolean => 'use' in entry && bookedUse.get(entry.use.requestId) !== undefined
  let queue: Entry[] = []
  let previousSize = 0
  let sizeLastTurn = 0
  let turns = 0
  const flush = (): void => {
    const batch = queue
    queue = []
    previousSize = batch.length
    sizeLastTurn = 0
    turns = 0
    if (batch.length + backlog.size() === 0 || backlog.enqueueDuringPause(batch)) return
    try {
      if (batch.length > 0) commit(batch)
    } catch (error) {
      return backlog.handleFailure(batch, error)
    }
    resolveBatch(batch)
    backlog.drain()
    checkpoints?.schedule()
  }
  const spill = createSpill(`${db.name}.owed`)
  let reservesSpill = false
  const reserveSpill = async (): Promise<void> => {
    reservesSpill = true
    try {
      await spill.reserve()
    } catch (error) {
      alert(error, backlog.size())
    }
  }
  const removeSpill = (): void => {
    // Syncs the ledger before removing the file, because a power cut could lose unsynced commits.
    if (!spill.hasContent() || !checkpoint(db)) return
    spill.remove()
    if (reservesSpill) void reserveSpill()
  }
  const backlog = createBacklog({ totals, commit, isBooked, flush, alert, spill, onDrained: removeSpill })
  /** Waits while more uses arrive in each turn of the event loop. */
  const flushSoon = (): void => {
    const moreExpected = previousSize > 1 && queue.length > sizeLastTurn && queue.length < FULL_BATCH && turns < MAX_TURNS
    if (!moreExpected) return flush()
    sizeLastTurn = queue.length
    turns++
    setImmediate(flushSoon)
  }
  const enqueue = (entry: Entry): void => {
    if (queue.push(entry) === 1) setImmediate(flushSoon)
  }
  const failures = createFailureCounts(enqueue)
  return {
    /** Resolves when the use is committed or queued. Rejects if neither is possible. */
    record: (use: Use): Promise<void> => new Promise((resolve, reject) => enqueue({ use, done: resolve, failed: reject })),
    /**
     * Counts a failed read. Callers need not wait. The count is written within a quarter of a
     * second.
     */
    recordFailure: failures.add,
    /**
     * Adds uses that the previous process stored on disk. Call once, before handling requests.
     * Never throws. On a full disk, the uses wait in memory.
     */
    bookSpilled(): void {
      try {
        const { uses, damaged } = spill.read()
        const owed = uses.filter(({ requestId }) => bookedUse.get(requestId) === undefined)
        const valid = owed.filter(({ keyId, accountId }) => hasKey.get(keyId, accountId) !== undefined)
        const invalid = owed.length - valid.length
        if (invalid + damaged > 0) spill.markRefused()
        backlog.addUnawaited(valid)
        if (invalid > 0) alert(UNKNOWN_KEYS, backlog.size(), invalid)
        if (damaged > 0) alert(DAMAGED_LINES, backlog.size(), damaged)
        if (valid.length > 0) backlog.retryNow()
        else removeSpill()
      } catch (error) {
        alert(error, backlog.size())
      }
    },
    /** Reserves disk space for uses that cannot be committed. Call once. Never rejects. */
    reserveSpill,
    /** Number of entries that wait for a commit. */
    backlogSize: backlog.size,
    unstoredUses: backlog.unstored,
    /** Used credits of a month (`YYYY-MM`), including waiting entries. */
    used: totals.get,
    takeCharged: totals.takeCharged,
    /** RFC 3339 in Taipei. Undefined if the key was not used since the process started. */
    lastUse: lastUses.get,
    flush(): void {
      failures.flush()
      backlog.retryNow()
    },
    /**
     * Commits all entries and ends retries. Call last, before closing the database.
     *
     * @returns number of lost uses
     */
    close(): number {
      failures.flush()
      const lost = backlog.close()
      spill.close()
      try {
        lastUses.writeAll()
      } catch (error) {
        alert(error, 0)
      }
      return lost
    },
  }
}

const UNKNOWN_KEYS = new Error(
  'uses of an earlier run have keys that the state file does not have; they were moved to a file with the ending .refused',
)
const DAMAGED_LINES = new Error(
  'some uses of an earlier run are damaged; the others were booked, and the file was renamed with the ending .refused',
)

export type Ledger = ReturnType<typeof openLedger>
