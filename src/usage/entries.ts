import { addDays, firstRequestId } from '../core/index.ts'
import type { Database } from '../state/index.ts'
import type { Use } from './batch.ts'
import type { CreditEntries, CreditEntryKind, EntryFilter, ListedCreditEntry } from './credit-entries.ts'

export interface UsageEntry extends Omit<Use, 'accountId' | 'keyId'> {
  readonly keyId: string | null
  readonly kind: 'use' | CreditEntryKind
  /** Credits that were granted or refunded, otherwise 0. */
  readonly credited: number
  /** The operator's reason. Null for a use. */
  readonly reason: string | null
  /** Request id of the refunded use. Null for other entries. */
  readonly refundedId: string | null
}

/** Scanning 2,000 entries in memory takes about 1 ms. */
const PIECE_ENTRIES = 2_000
const CREDITS_SLUG = 'credits'
const LATEST_MS = 2 ** 45
const NEAR_MS = 2 ** 21

/**
 * Reads the uses of all accounts, because an index by account would slow down commits.
 *
 * @param pieceEntries number of entries after which the event loop may run
 */
export function createUsageEntries(db: Database, creditEntries: Pick<CreditEntries, 'list'>, pieceEntries = PIECE_ENTRIES) {
  const pieceEnd = db.prepare<[string], { readonly id: string; readonly at: string }>(
    `SELECT request_id AS id, at FROM usage_ledger WHERE request_id < ? ORDER BY request_id DESC LIMIT 1 OFFSET ${pieceEntries - 1}`,
  )
  const entriesInPiece = db.prepare<object, Omit<Use, 'accountId'>>(
    `SELECT request_id AS requestId, at, dataset, key_id AS keyId, credits, rows FROM usage_ledger
     WHERE request_id >= @from AND request_id < @before AND account_id = @accountId AND at >= @start AND at < @end
       AND (@dataset IS NULL OR dataset = @dataset) AND (@keyId IS NULL OR key_id = @keyId)
     ORDER BY request_id DESC LIMIT @most`,
  )
  const days = db.prepare<object, { readonly first: string | null; readonly last: string | null }>(
    `SELECT min(day) AS first, max(day) AS last FROM usage_daily WHERE account_id = @accountId AND day >= @start AND day < @end
       AND requests > 0 AND (@dataset IS NULL OR dataset = @dataset) AND (@keyId IS NULL OR key_id = @keyId)`,
  )
  const firstTimeFrom = db
    .prepare<[string], string>('SELECT at FROM usage_ledger WHERE request_id >= ? ORDER BY request_id LIMIT 1')
    .pluck()
  /** Returns an id between the ids of the previous day and the ids of this day. */
  const firstIdOfDay = (day: string): string => {
    let low = 0
    let high = LATEST_MS
    while (high - low > NEAR_MS) {
      const middle = (low + high) / 2
      const at = firstTimeFrom.get(firstRequestId(middle))
      if (at === undefined || at >= day) high = middle
      else low = middle
    }
    return firstRequestId(high)
  }
  const uses = async (accountId: string, { window, dataset, keyId, before, limit }: EntryFilter): Promise<readonly UsageEntry[]> => {
    const filter = { accountId, start: window.start, end: addDays(window.end, 1), dataset, keyId }
    const { first, last } = days.get(filter)!
    if (first === null || last === null) return []
    // Adds a day on both sides, because the time in an id can differ from `at`.
    const beginning = addDays(first, -1)
    const latest = firstIdOfDay(addDays(last, 2))
    const entries: UsageEntry[] = []
    for (let upperId = before !== null && before < latest ? before : latest; ; ) {
      const end = pieceEnd.get(upperId)
      const from = end?.id ?? ''
      const piece = entriesInPiece.all({ ...filter, from, before: upperId, most: limit + 1 - entries.length })
      entries.push(...piece.map(use => ({ ...use, kind: 'use', credited: 0, reason: null, refundedId: null }) as const))
      if (entries.length > limit || !end || end.at < beginning) return entries
      upperId = from
      await new Promise(setImmediate)
    }
  }
  return {
    /** Newest first. Also returns whether there are more entries. */
    async page(accountId: string, filter: EntryFilter): Promise<{ readonly entries: readonly UsageEntry[]; readonly more: boolean }> {
      const credited = creditEntries.list(accountId, filter).map(fromCreditEntry)
      const charged = await uses(accountId, filter)
      const entries = credited.length === 0 ? charged : [...charged, ...credited].sort(newestFirst)
      return { entries: entries.slice(0, filter.limit), more: entries.length > filter.limit }
    },
  }
}

const newestFirst = (a: UsageEntry, b: UsageEntry): number => (a.requestId < b.requestId ? 1 : -1)

const fromCreditEntry = ({ id, kind, at, credits, reason, useId, dataset, keyId }: ListedCreditEntry): UsageEntry => ({
  requestId: id,
  kind,
  at,
  dataset: dataset ?? CREDITS_SLUG,
  keyId,
  credits: 0,
  credited: credits,
  rows: 0,
  reason,
  refundedId: useId,
})
