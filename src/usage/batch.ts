import type { Database } from '../state/index.ts'
import type { CreditWatch } from '../webhooks/index.ts'
import type { LastUses } from './last-uses.ts'
import { createRowWriter } from './row-writer.ts'
import type { UsageTotals } from './totals.ts'

/** One charged answer. */
export interface Use {
  readonly requestId: string
  readonly accountId: string
  readonly keyId: string
  readonly dataset: string
  /** RFC 3339 in Taipei; its month is the period that is charged. */
  readonly at: string
  readonly credits: number
  readonly rows: number
}

/** A read that was refused or failed: counted by day, never charged. */
export type Failure = Pick<Use, 'accountId' | 'keyId' | 'dataset' | 'at'>

/** One thing for the ledger to write. A caller waits for a use; nobody waits for a failure. */
export type Entry =
  | { readonly use: Use; readonly done: () => void; readonly failed: (error: unknown) => void }
  | { readonly failure: Failure; readonly count: number }

/** Resolves everyone who waits for a batch, or rejects them when there is an error. What it calls does not throw. */
export function resolveBatch(batch: readonly Entry[], error?: unknown): void {
  for (const entry of batch) if ('use' in entry) error === undefined ? entry.done() : entry.failed(error)
}

/** Told of a commit: its milliseconds, and the entries it wrote. Must not throw. */
export type Committed = (ms: number, entries: number) => void

/** A FULL commit at least this often under traffic bounds what a power cut can take. */
const ANCHOR_MS = 1_000

/**
 * Commits batches and keeps the usage totals in step with them. The connection syncs NORMAL; once a second has passed since the last
 * FULL commit, the next one is FULL and syncs everything before it.
 *
 * @returns a function that throws when a commit failed. Whether the batch reached the file is unknown then: the totals are read again,
 * and the caller must check which uses are booked before it retries
 */
export function createBatchCommit(
  db: Database,
  totals: UsageTotals,
  lastUses: LastUses,
  committed?: Committed,
  watch: Pick<CreditWatch, 'watches' | 'look'> = NOBODY,
): (batch: readonly Entry[]) => void {
  const write = createBatchWriter(db, lastUses, watch)
  let anchoredAt = Number.NEGATIVE_INFINITY
  return batch => {
    const began = performance.now()
    const anchor = began - anchoredAt > ANCHOR_MS
    try {
      if (anchor) db.pragma('synchronous = FULL')
      totals.addCommitted(write(batch))
      if (anchor) anchoredAt = performance.now()
      committed?.(performance.now() - began, batch.length)
    } catch (error) {
      totals.forget()
      throw error
    } finally {
      if (anchor) db.pragma('synchronous = NORMAL')
    }
  }
}

const NOBODY: Pick<CreditWatch, 'watches' | 'look'> = { watches: () => false, look: () => {} }

/** What a batch adds to the daily roll-up of one key and dataset. */
interface Roll {
  readonly accountId: string
  readonly day: string
  readonly keyId: string
  readonly dataset: string
  requests: number
  credits: number
  rows: number
  errors: number
  /** The last of its uses, RFC 3339 in Taipei; empty where there is none. */
  at: string
}

/**
 * Writes a batch in one transaction: ledger row, daily roll-up, period counter and last use of the key of every use, or nothing at all. Sums are formed
 * before they are written, since a batch is mostly a few callers' reads of a few datasets.
 *
 * @returns a function that returns the sums it wrote
 */
function createBatchWriter(
  db: Database,
  lastUses: LastUses,
  watch: Pick<CreditWatch, 'watches' | 'look'>,
): (batch: readonly Entry[]) => readonly Roll[] {
  const { insert, roll, count } = statementsOn(db)
  const write = db.transaction((batch: readonly Entry[], rolls: readonly Roll[]) => {
    insert(batch.flatMap(entry => ('use' in entry ? [entry.use] : [])))
    roll(rolls)
    const used = usedIn(rolls)
    count(used)
    for (const { accountId, at } of used) if (watch.watches(accountId)) watch.look(accountId, at)
    lastUses.write(used)
  })
  return batch => {
    const rolls = rollsOf(batch)
    write.immediate(batch, rolls)
    lastUses.committed(usedIn(rolls))
    return rolls
  }
}

const usedIn = (rolls: readonly Roll[]): readonly Roll[] => rolls.filter(({ requests }) => requests > 0)

const statementsOn = (db: Database) => ({
  insert: createRowWriter<Use>(
    db,
    'INSERT INTO usage_ledger (request_id, account_id, key_id, dataset, at, credits, rows)',
    7,
    (values, { requestId, accountId, keyId, dataset, at, credits, rows }) =>
      values.push(requestId, accountId, keyId, dataset, at, credits, rows),
  ),
  roll: createRowWriter<Roll>(
    db,
    'INSERT INTO usage_daily (account_id, day, key_id, dataset, requests, credits, rows, errors)',
    8,
    (values, { accountId, day, keyId, dataset, requests, credits, rows, errors }) =>
      values.push(accountId, day, keyId, dataset, requests, credits, rows, errors),
    `ON CONFLICT DO UPDATE SET requests = requests + excluded.requests, credits = credits + excluded.credits,
       rows = rows + excluded.rows, errors = errors + excluded.errors`,
  ),
  count: createRowWriter<Roll>(
    db,
    'INSERT INTO account_period (account_id, period, credits, requests)',
    4,
    (values, { accountId, day, credits, requests }) => values.push(accountId, day.slice(0, 7), credits, requests),
    'ON CONFLICT DO UPDATE SET credits = credits + excluded.credits, requests = requests + excluded.requests',
  ),
})

function rollsOf(batch: readonly Entry[]): readonly Roll[] {
  const rolls: Roll[] = []
  const byKey = new Map<string, Roll[]>()
  for (const entry of batch) {
    const { accountId, keyId, dataset, at } = 'use' in entry ? entry.use : entry.failure
    const ofKey = byKey.get(keyId)
    let sum = ofKey?.find(roll => roll.dataset === dataset && at.startsWith(roll.day))
    if (!sum) {
      sum = { accountId, day: at.slice(0, 10), keyId, dataset, requests: 0, credits: 0, rows: 0, errors: 0, at: '' }
      rolls.push(sum)
      if (ofKey) ofKey.push(sum)
      else byKey.set(keyId, [sum])
    }
    if ('use' in entry) {
      sum.requests++
      sum.credits += entry.use.credits
      sum.rows += entry.use.rows
      if (at > sum.at) sum.at = at
    } else sum.errors += entry.count
  }
  return rolls
}
