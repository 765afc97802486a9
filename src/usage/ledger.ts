import type { Database } from '../state/index.ts'
import type { CreditWatch } from '../webhooks/index.ts'
import { createBacklog, type LedgerAlert } from './backlog.ts'
import { type Committed, createBatchCommit, type Entry, resolveBatch, type Use } from './batch.ts'
import { createFailureCounts } from './failures.ts'
import { createLastUses } from './last-uses.ts'
import { createSpill } from './spill.ts'
import { createUsageTotals } from './totals.ts'

/** Pages of log, 4 KB each, before they are moved into the state file: that syncs the disk, and every read waits for it. */
const CHECKPOINT_PAGES = 8_000

/** Uses that wait for no more of them, and turns of the event loop that any wait for more. */
const [ENOUGH, MOST_TURNS] = [64, 4]

/**
 * The usage ledger. Uses recorded in one turn of the event loop, or in a few that each bring some, are committed together before any of them
 * resolves, so every answer that leaves is in the ledger. The connection syncs NORMAL: a killed process loses nothing, and a FULL commit at least once a second under
 * traffic bounds what a power cut can take.
 *
 * While the disk is full or the file is busy, reads go on: their entries wait in a backlog, count against the balance, and are committed
 * once that is possible. What a stop still cannot commit goes into a file beside the state file, and `bookSpilled` books it at the next
 * start, each use once.
 *
 * @param watch writes, in the same transaction, the event of credits that run out; nobody is told when absent
 */
export function openLedger(
  db: Database,
  alert: LedgerAlert = () => {},
  committed?: Committed,
  watch?: Pick<CreditWatch, 'watches' | 'look'>,
) {
  db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
  const totals = createUsageTotals(db)
  const lastUses = createLastUses(db)
  const commit = createBatchCommit(db, totals, lastUses, committed, watch)
  const booked = db.prepare('SELECT 1 FROM usage_ledger WHERE request_id = ?')
  const hasKey = db.prepare('SELECT 1 FROM api_key WHERE id = ? AND account_id = ?')
  const isBooked = (entry: Entry): boolean => 'use' in entry && booked.get(entry.use.requestId) !== undefined
  let queue: Entry[] = []
  let [former, seen, turns] = [0, 0, 0]
  const flush = (): void => {
    const batch = queue
    queue = []
    former = batch.length
    seen = turns = 0
    if (batch.length + backlog.size() === 0 || backlog.takes(batch)) return
    try {
      if (batch.length > 0) commit(batch)
    } catch (error) {
      return backlog.failed(batch, error)
    }
    resolveBatch(batch)
    backlog.drain()
  }
  const spill = createSpill(`${db.name}.owed`)
  const forgetSpilled = (): void => {
    // A checkpoint syncs what was committed; before that a power cut could take it, and the file must stay.
    if (spill.holdsAny() && checkpoint(db)) spill.remove()
  }
  const backlog = createBacklog({ totals, commit, isBooked, flush, alert, spill, drained: forgetSpilled })
  /** Commits once a turn of the event loop brings no more uses. A caller who is alone waits for no turn. */
  const flushSoon = (): void => {
    const goesOn = former > 1 && queue.length > seen && queue.length < ENOUGH && turns < MOST_TURNS
    if (!goesOn) return flush()
    seen = queue.length
    turns++
    setImmediate(flushSoon)
  }
  const enqueue = (entry: Entry): void => {
    if (queue.push(entry) === 1) setImmediate(flushSoon)
  }
  const failures = createFailureCounts(enqueue)
  return {
    /** Resolves once the use is committed or in the backlog. @throws when neither was possible; nothing of its batch is recorded then */
    record: (use: Use): Promise<void> => new Promise((done, failed) => enqueue({ use, done, failed })),
    /** Counts a read that was not answered. Committed within a moment; nobody waits for it. */
    recordFailure: failures.add,
    /**
     * Books the uses that the stop before this start left in the spill file, and removes it. They wait in the backlog while the disk is
     * still full. To be called by the one process that serves, before it does. Never throws: what cannot be booked is told to `alert`.
     */
    bookSpilled(): void {
      try {
        const { uses, damaged } = spill.read()
        const owed = uses.filter(({ requestId }) => booked.get(requestId) === undefined)
        const known = owed.filter(({ keyId, accountId }) => hasKey.get(keyId, accountId) !== undefined)
        const foreign = owed.length - known.length
        if (foreign + damaged > 0) spill.refuse()
        backlog.takeOver(known)
        if (foreign > 0) alert(NO_SUCH_KEYS, backlog.size(), foreign)
        if (damaged > 0) alert(DAMAGED_LINES, backlog.size(), damaged)
        if (known.length > 0) backlog.retryNow()
        else forgetSpilled()
      } catch (error) {
        alert(error, backlog.size())
      }
    },
    /** Uses that are owed: answered, and not committed yet because the disk takes no more or another process writes. */
    owed: backlog.size,
    /** Credits an account used in a period, `YYYY-MM`, those of the backlog included. */
    used: totals.of,
    /** Accounts whose reads were counted since the last call, charged or refused. */
    takeCharged: totals.takeCharged,
    /** When a key was last charged for an answer since the start, RFC 3339 in Taipei; undefined for one that was not. */
    lastUse: lastUses.of,
    /** Commits what is queued now, without waiting for the turn of the event loop to end. */
    flush(): void {
      failures.putAll()
      backlog.retryNow()
    },
    /** Commits what is queued or in the backlog, then stops retrying; the last call before the connection is closed. */
    close(): void {
      failures.putAll()
      backlog.close()
      try {
        lastUses.writeAll()
      } catch (error) {
        alert(error, 0)
      }
    },
  }
}

const NO_SUCH_KEYS = new Error(
  'uses that a stop left to be booked are of keys the state file does not know; they are put aside, ending .refused',
)
const DAMAGED_LINES = new Error(
  'lines of uses that a stop left to be booked are damaged or cut off; the others are booked, and the file is put aside, ending .refused',
)

/** Moves what was committed into the state file and syncs it. @returns whether all of it was */
function checkpoint(db: Database): boolean {
  const [row] = db.pragma('wal_checkpoint(PASSIVE)') as readonly {
    readonly busy: number
    readonly log: number
    readonly checkpointed: number
  }[]
  return row!.busy === 0 && row!.log === row!.checkpointed
}

export type Ledger = ReturnType<typeof openLedger>
