import { LRUCache } from 'lru-cache'
import { addDays } from '../core/index.ts'
import type { Database } from '../state/index.ts'
import type { UsageWindow } from './report.ts'

/** Selects entries of an account. */
export interface EntryFilter {
  readonly window: UsageWindow
  /** Slug; null for all. */
  readonly dataset: string | null
  readonly keyId: string | null
  /** Request id; only entries before it. Null for the newest. */
  readonly before: string | null
  readonly limit: number
}

/** Kinds of credit entries. */
export type CreditEntryKind = 'grant' | 'refund'

/** Credits that the operator gave an account. They belong to the month of `at`. */
export interface CreditEntry {
  /** Sorts with request ids by time. */
  readonly id: string
  readonly kind: CreditEntryKind
  /** RFC 3339 in Taipei. */
  readonly at: string
  /** Above 0. */
  readonly credits: number
  /** Shown to the customer. */
  readonly reason: string
  /** Request id of the refunded use; null for a grant. */
  readonly useId: string | null
}

/** A charged use as a refund needs it. */
export interface ChargedUse {
  readonly accountId: string
  readonly credits: number
}

/** A credit entry with the dataset and key of the refunded use. */
export interface ListedCreditEntry extends CreditEntry {
  /** Slug; null for a grant. */
  readonly dataset: string | null
  readonly keyId: string | null
}

/** Credits given to an account in a span of time. */
export interface CreditSums {
  readonly granted: number
  readonly refunded: number
}

/** Maximum sums in memory; the least recently used are evicted. */
const MAX_SUMS = 100_000
/** How long entries of another process, for example the command line, may stay unnoticed. */
const CHECK_MS = 1_000

const SUMS = `SELECT coalesce(sum(e.credits) FILTER (WHERE e.kind = 'grant'), 0) AS granted,
  coalesce(sum(e.credits) FILTER (WHERE e.kind = 'refund'), 0) AS refunded
  FROM credit_entry e LEFT JOIN usage_ledger u ON u.request_id = e.use_id
  WHERE e.account_id = @accountId AND e.at >= @start AND e.at < @end AND (@dataset IS NULL OR u.dataset = @dataset)`

/**
 * Stores credits that the operator granted or refunded: the second half of the usage ledger, next
 * to charged uses. Append-only: triggers of the database refuse deletions, and changes other than
 * removing the reason of an erased account. The sums that balances need are cached and read again
 * after another process added an entry.
 *
 * @param reader connection for sums. Each read needs them, so it is the connection of the ledger
 * @param monotonicNow monotonic clock in ms
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
    /** Adds an entry. @throws database errors, also for a second refund of a use */
    add(accountId: string, entry: CreditEntry): void {
      insert.run({ ...entry, accountId })
      cached.clear()
    },
    /** A committed use; undefined for an unknown request id. */
    findUse: (requestId: string): ChargedUse | undefined => use.get(requestId),
    /** The refund of a use, if there is one. */
    findRefund: (requestId: string): { readonly id: string; readonly at: string } | undefined => refund.get(requestId),
    /** Sums of a month. @param period `YYYY-MM` */
    ofPeriod(accountId: string, period: string): CreditSums {
      clearIfChanged()
      // `~` sorts after all characters of a time.
      const wanted = { accountId, start: period, end: `${period}~`, dataset: null }
      // The other connection does not see an entry of this transaction, which may be rolled back.
      if (db.inTransaction) return uncommittedSums.get(wanted)!
      const name = `${accountId} ${period}`
      const cachedSums = cached.get(name)
      if (cachedSums) return cachedSums
      const committedSums = sums.get(wanted)!
      cached.set(name, committedSums)
      return committedSums
    },
    /**
     * Sums of a range of days, both inclusive. @param dataset slug: refunds of its uses only; null
     * for all
     */
    between: (accountId: string, { start, end }: { readonly start: string; readonly end: string }, dataset: string | null): CreditSums =>
      sums.get({ accountId, start, end: addDays(end, 1), dataset })!,
    /** Up to `limit` + 1 entries, newest first. A dataset or key selects refunds of its uses. */
    list: (accountId: string, { window, dataset, keyId, before, limit }: EntryFilter): readonly ListedCreditEntry[] =>
      page.all({ accountId, start: window.start, end: addDays(window.end, 1), dataset, keyId, before, limit: limit + 1 }),
  }
}

export type CreditEntries = ReturnType<typeof createCreditEntries>
