import { LRUCache } from 'lru-cache'
import { addDays } from '../core/index.ts'
import type { Database } from '../state/index.ts'
import type { UsageWindow } from './report.ts'

export interface EntryFilter {
  readonly window: UsageWindow
  /** Null for all entries. */
  readonly dataset: string | null
  readonly keyId: string | null
  /** Id of an entry. Selects older entries. Null for the newest entries. */
  readonly before: string | null
  readonly limit: number
}

export type CreditEntryKind = 'grant' | 'refund'

/** Granted or refunded credits, which count for the month of `at`. */
export interface CreditEntry {
  /** Sorts by time, together with request ids. */
  readonly id: string
  readonly kind: CreditEntryKind
  /** RFC 3339 in Taipei. */
  readonly at: string
  readonly credits: number
  /** Shown to the customer. */
  readonly reason: string
  /** Request id of the refunded use. Null for a grant. */
  readonly useId: string | null
}

export interface ChargedUse {
  readonly accountId: string
  readonly credits: number
}

export interface ListedCreditEntry extends CreditEntry {
  readonly dataset: string | null
  readonly keyId: string | null
}

export interface CreditSums {
  readonly granted: number
  readonly refunded: number
}

const MAX_SUMS = 100_000
/** Maximum delay until entries of another process are found. */
const CHECK_MS = 1_000

const SUMS = `SELECT coalesce(sum(e.credits) FILTER (WHERE e.kind = 'grant'), 0) AS granted,
  coalesce(sum(e.credits) FILTER (WHERE e.kind = 'refund'), 0) AS refunded
  FROM credit_entry e LEFT JOIN usage_ledger u ON u.request_id = e.use_id
  WHERE e.account_id = @accountId AND e.at >= @start AND e.at < @end AND (@dataset IS NULL OR u.dataset = @dataset)`

/**
 * Stores granted and refunded credits. Database triggers refuse deletions and changes.
 *
 * @param reader connection that reads the sums
 * @param monotonicNow ms of a monotonic clock
 */
export function createCreditEntries(db: Database, reader = db, monotonicNow: () => number = () => performance.now()) {
  const insert = db.prepare(
    'INSERT INTO credit_entry (id, kind, account_id, at, credits, reason, use_id) VALUES (@id, @kind, @accountId, @at, @credits, @reason, @useId)',
  )
  const use = db.prepare<[string], ChargedUse>('SELECT account_id AS accountId, credits FROM usage_ledger WHERE request_id = ?')
  const refund = db.prepare<[string], { id: string; at: string }>('SELECT id, at FROM credit_entry WHERE use_id = ?')
  const newest = reader.prepare<[], number | null>('SELECT max(sequence) FROM credit_entry').pluck()
  const sums = reader.prepare<object, CreditSums>(SUMS)
  const uncommittedSums = db.prepare<object, CreditSums>(SUMS)
  const page = db.prepare<object, ListedCreditEntry>(
    `SELECT e.id, e.kind, e.at, e.credits, e.reason, e.use_id AS useId, u.dataset, u.key_id AS keyId
     FROM credit_entry e LEFT JOIN usage_ledger u ON u.request_id = e.use_id
     WHERE e.account_id = @accountId AND e.at >= @start AND e.at < @end AND (@before IS NULL OR e.id < @before)
       AND (@dataset IS NULL OR u.dataset = @dataset) AND (@keyId IS NULL OR u.key_id = @keyId)
     ORDER BY e.id DESC LIMIT @limit`,
  )
  const cached = new LRUCache<string, CreditSums>({ max: MAX_SUMS })
  let lastSequence = newest.get()
  let checkedAt = monotonicNow()
  const clearIfChanged = (): void => {
    const now = monotonicNow()
    if (now - checkedAt < CHECK_MS) return
    checkedAt = now
    const sequence = newest.get()
    if (sequence !== lastSequence) cached.clear()
    lastSequence = sequence
  }
  return {
    /** @throws Error if the use was already refunded */
    add(accountId: string, entry: CreditEntry): void {
      insert.run({ ...entry, accountId })
      cached.clear()
    },
    /** Undefined if the request id is unknown. */
    findUse: (requestId: string): ChargedUse | undefined => use.get(requestId),
    findRefund: (requestId: string): { readonly id: string; readonly at: string } | undefined => refund.get(requestId),
    /** @param period month as `YYYY-MM` */
    ofPeriod(accountId: string, period: string): CreditSums {
      clearIfChanged()
      // `~` sorts after all times of a month.
      const wanted = { accountId, start: period, end: `${period}~`, dataset: null }
      // Does not cache sums of an open transaction, which may be rolled back.
      if (db.inTransaction) return uncommittedSums.get(wanted)!
      const name = `${accountId} ${period}`
      const cachedSums = cached.get(name)
      if (cachedSums) return cachedSums
      const committedSums = sums.get(wanted)!
      cached.set(name, committedSums)
      return committedSums
    },
    /**
     * Both days are inclusive.
     *
     * @param dataset slug of the dataset whose refunds count. Null for all entries
     */
    between: (accountId: string, { start, end }: { readonly start: string; readonly end: string }, dataset: string | null): CreditSums =>
      sums.get({ accountId, start, end: addDays(end, 1), dataset })!,
    /** Returns up to `limit` + 1 entries, newest first. A dataset or key selects only refunds. */
    list: (accountId: string, { window, dataset, keyId, before, limit }: EntryFilter): readonly ListedCreditEntry[] =>
      page.all({ accountId, start: window.start, end: addDays(window.end, 1), dataset, keyId, before, limit: limit + 1 }),
  }
}

export type CreditEntries = ReturnType<typeof createCreditEntries>
