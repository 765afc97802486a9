import type { Database } from '../state/index.ts'
import type { CreditWatch } from '../webhooks/index.ts'
import type { LastUses } from './last-uses.ts'
import { createRowWriter } from './row-writer.ts'
import type { UsageTotals } from './totals.ts'

export interface Use {
  readonly requestId: string
  readonly accountId: string
  readonly keyId: string
  readonly dataset: string
  /** RFC 3339 in Taipei. The month is the billing period. */
  readonly at: string
  readonly credits: number
  readonly rows: number
}

/** A refused or failed read, which is counted but not charged. */
export type Failure = Pick<Use, 'accountId' | 'keyId' | 'dataset' | 'at'>

/** Only the caller of a use waits for the commit. */
export type Entry =
  | { readonly use: Use; readonly done: () => void; readonly failed: (error: unknown) => void }
  | { readonly failure: Failure; readonly count: number }

/** Callbacks must not throw. */
export function resolveBatch(batch: readonly Entry[], error?: unknown): void {
  for (const entry of batch) if ('use' in entry) error === undefined ? entry.done() : entry.failed(error)
}

/** Called after each commit. Must not throw. */
export type CommitListener = (ms: number, entries: number) => void

/**
 * @returns a function that throws if the commit fails. The file may contain the batch even after an
 * error
 */
export function createBatchCommit(
  db: Database,
  totals: UsageTotals,
  lastUses: LastUses,
  onCommit?: CommitListener,
  watch: Pick<CreditWatch, 'watches' | 'check'> = NO_WATCH,
): (batch: readonly Entry[]) => void {
  const write = createBatchWriter(db, lastUses, watch)
  return batch => {
    const began = performance.now()
    try {
      totals.addCommitted(write(batch))
      onCommit?.(performance.now() - began, batch.length)
    } catch (error) {
      totals.clear()
      throw error
    }
  }
}

const NO_WATCH: Pick<CreditWatch, 'watches' | 'check'> = { watches: () => false, check: () => {} }

interface DailySum {
  readonly accountId: string
  readonly day: string
  readonly keyId: string
  readonly dataset: string
  requests: number
  credits: number
  rows: number
  errors: number
  at: string
}

/**
 * Adds up the rows before writing, because a batch usually concerns few datasets and callers.
 *
 * @returns a function that writes a batch in one transaction, and returns the sums
 */
function createBatchWriter(
  db: Database,
  lastUses: LastUses,
  watch: Pick<CreditWatch, 'watches' | 'check'>,
): (batch: readonly Entry[]) => readonly DailySum[] {
  const { insertUses, upsertDaily, addToPeriods } = statementsOn(db)
  const write = db.transaction((batch: readonly Entry[], sums: readonly DailySum[]) => {
    insertUses(batch.flatMap(entry => ('use' in entry ? [entry.use] : [])))
    upsertDaily(sums)
    const used = chargedSums(sums)
    addToPeriods(used)
    for (const { accountId, at } of used) if (watch.watches(accountId)) watch.check(accountId, at)
    lastUses.write(used)
  })
  return batch => {
    const sums = sumBatch(batch)
    write.immediate(batch, sums)
    lastUses.recordCommitted(chargedSums(sums))
    return sums
  }
}

const chargedSums = (sums: readonly DailySum[]): readonly DailySum[] => sums.filter(({ requests }) => requests > 0)

const statementsOn = (db: Database) => ({
  insertUses: createRowWriter<Use>(
    db,
    'INSERT INTO usage_ledger (request_id, account_id, key_id, dataset, at, credits, rows)',
    7,
    (values, { requestId, accountId, keyId, dataset, at, credits, rows }) =>
      values.push(requestId, accountId, keyId, dataset, at, credits, rows),
  ),
  upsertDaily: createRowWriter<DailySum>(
    db,
    'INSERT INTO usage_daily (account_id, day, key_id, dataset, requests, credits, rows, errors)',
    8,
    (values, { accountId, day, keyId, dataset, requests, credits, rows, errors }) =>
      values.push(accountId, day, keyId, dataset, requests, credits, rows, errors),
    `ON CONFLICT DO UPDATE SET requests = requests + excluded.requests, credits = credits + excluded.credits,
       rows = rows + excluded.rows, errors = errors + excluded.errors`,
  ),
  addToPeriods: createRowWriter<DailySum>(
    db,
    'INSERT INTO account_period (account_id, period, credits, requests)',
    4,
    (values, { accountId, day, credits, requests }) => values.push(accountId, day.slice(0, 7), credits, requests),
    'ON CONFLICT DO UPDATE SET credits = credits + excluded.credits, requests = requests + excluded.requests',
  ),
})

function sumBatch(batch: readonly Entry[]): readonly DailySum[] {
  const sums: DailySum[] = []
  const byKey = new Map<string, DailySum[]>()
  for (const entry of batch) {
    const { accountId, keyId, dataset, at } = 'use' in entry ? entry.use : entry.failure
    const sumsOfKey = byKey.get(keyId)
    let sum = sumsOfKey?.find(roll => roll.dataset === dataset && at.startsWith(roll.day))
    if (!sum) {
      sum = { accountId, day: at.slice(0, 10), keyId, dataset, requests: 0, credits: 0, rows: 0, errors: 0, at: '' }
      sums.push(sum)
      if (sumsOfKey) sumsOfKey.push(sum)
      else byKey.set(keyId, [sum])
    }
    if ('use' in entry) {
      sum.requests++
      sum.credits += entry.use.credits
      sum.rows += entry.use.rows
      if (at > sum.at) sum.at = at
    } else sum.errors += entry.count
  }
  return sums
}
