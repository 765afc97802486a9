import { type Checkpoints, checkpoint, type Database } from '../state/index.ts'
import type { CreditWatch } from '../webhooks/index.ts'
import { createBacklog, type LedgerAlert } from './backlog.ts'
import { type CommitListener, createBatchCommit, type Entry, resolveBatch, type Use } from './batch.ts'
import { createFailureCounts } from './failures.ts'
import { createLastUses } from './last-uses.ts'
import { createSpill } from './spill.ts'
import { createUsageTotals } from './totals.ts'

/** Number of queued uses that are committed without waiting for more. */
const FULL_BATCH = 64
/** Maximum number of event loop turns for which a commit waits for more uses. */
const MAX_TURNS = 4

/**
 * Opens the usage ledger. Uses that arrive in the same turn of the event loop are committed
 * together. Under load, a commit includes up to MAX_TURNS turns. An answer is sent only after its
 * use is committed.
 *
 * The connection uses `synchronous = NORMAL`, so a killed process loses nothing. A checkpoint
 * within a second limits the loss after a power cut.
 *
 * While the disk is full or the file is locked, reads continue. Entries wait in a backlog, count
 * against the balance, and are committed later. Their uses are also stored in a spill file next to
 * the state file. `reserveSpill` allocates the space for this file. At the next start,
 * `bookSpilled` adds each stored use to the ledger once.
 *
 * @param watch writes the event of low credits in the same transaction
 * @param checkpoints sync the commits; by default, SQLite runs automatic checkpoints
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
    // The checkpoint must come first. A power cut can lose a commit that is not synced yet, and the
    // spill file would then be the only copy.
    if (!spill.hasContent() || !checkpoint(db)) return
    spill.remove()
    if (reservesSpill) void reserveSpill()
  }
  const backlog = createBacklog({ totals, commit, isBooked, flush, alert, spill, onDrained: removeSpill })
  /**
   * Commits when a turn of the event loop adds no more uses. If there is only a single caller, the
   * commit does not wait for another turn.
   */
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
    /**
     * Resolves when the use is committed or in the backlog. Rejects if neither is possible. In this
     * case, nothing of the batch is recorded.
     */
    record: (use: Use): Promise<void> => new Promise((resolve, reject) => enqueue({ use, done: resolve, failed: reject })),
    /**
     * Counts a failed read. The count is written within a quarter of a second, and the caller need
     * not wait.
     */
    recordFailure: failures.add,
    /**
     * Adds the uses in the spill file of the previous process to the ledger, and removes the file.
     * While the disk is full, these uses wait in the backlog. Must be called once, by the serving
     * process, before it serves requests. Never throws: failures are reported to `alert`.
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
    /**
     * Allocates the spill file, which stores uses while they cannot be committed. Uses can then be
     * stored even if the disk is full. Must be called once, by the serving process. Never rejects:
     * failures are reported to `alert`.
     */
    reserveSpill,
    /**
     * Returns the number of entries that are not committed because the disk is full or the file is
     * locked.
     */
    backlogSize: backlog.size,
    unstoredUses: backlog.unstored,
    /**
     * Returns the credits that an account used in a period (`YYYY-MM`). The backlog is included.
     */
    used: totals.get,
    takeCharged: totals.takeCharged,
    /**
     * Returns the time of a key's last charged use since the process started, RFC 3339 in the
     * Taipei time zone. Undefined if there is none.
     */
    lastUse: lastUses.get,
    flush(): void {
      failures.flush()
      backlog.retryNow()
    },
    /**
     * Commits the queue and the backlog, and ends all retries. Must be the last call before the
     * database is closed.
     *
     * @returns number of lost uses, which could be neither committed nor stored
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
