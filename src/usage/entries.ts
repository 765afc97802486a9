import { addDays, firstRequestId } from '../core/index.ts'
import type { Database } from '../state/index.ts'
import type { Use } from './batch.ts'
import type { UsageWindow } from './report.ts'

/** One charged answer of the caller's account. */
export type UsageEntry = Omit<Use, 'accountId'>

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

/**
 * Ledger entries scanned between event loop turns: about 1 ms, much longer if they are read from
 * disk.
 */
const PIECE_ENTRIES = 2_000
/** Latest possible request time, in ms since 1970. */
const LATEST_MS = 2 ** 45
/** Precision of the search for a day's first id. */
const NEAR_MS = 2 ** 21

/**
 * Reads ledger entries, newest first. The ledger is ordered by request id, which begins with the
 * time. It has no index by account because every commit would pay for it. The daily roll-up bounds
 * the scan, which yields to the event loop between pieces.
 *
 * @param pieceEntries entries of all accounts to scan per piece
 */
export function createUsageEntries(db: Database, pieceEntries = PIECE_ENTRIES) {
  const pieceEnd = db.prepare<[string], { readonly id: string; readonly at: string }>(
    `SELECT request_id AS id, at FROM usage_ledger WHERE request_id < ? ORDER BY request_id DESC LIMIT 1 OFFSET ${pieceEntries - 1}`,
  )
  const entriesInPiece = db.prepare<object, UsageEntry>(
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
  /** An id after all entries before the day. */
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
  return {
    /** @returns up to `limit` entries, and whether there are more */
    async page(accountId: string, { window, dataset, keyId, before, limit }: EntryFilter) {
      const filter = { accountId, start: window.start, end: addDays(window.end, 1), dataset, keyId }
      const { first, last } = days.get(filter)!
      if (first === null || last === null) return { entries: [], more: false }
      // Request ids are created on arrival and times at admission; one day of margin is more than
      // they differ.
      const beginning = addDays(first, -1)
      const latest = firstIdOfDay(addDays(last, 2))
      const entries: UsageEntry[] = []
      for (let upperId = before !== null && before < latest ? before : latest; ; ) {
        const end = pieceEnd.get(upperId)
        const from = end?.id ?? ''
        entries.push(...entriesInPiece.all({ ...filter, from, before: upperId, most: limit + 1 - entries.length }))
        if (entries.length > limit || !end || end.at < beginning) break
        upperId = from
        await new Promise(setImmediate)
      }
      return { entries: entries.slice(0, limit), more: entries.length > limit }
    },
  }
}
