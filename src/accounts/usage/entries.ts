import { addDays } from '../../core/index.ts'
import type { Database } from '../state/db.ts'
import type { Use } from './batch.ts'
import type { UsageWindow } from './report.ts'

/** One charged answer as the ledger has it; its account is who asks. */
export type UsageEntry = Omit<Use, 'accountId'>

/** Which entries of an account are wanted. */
export interface EntriesWanted {
  readonly window: UsageWindow
  /** Slug; null for all. */
  readonly dataset: string | null
  readonly keyId: string | null
  /** Request id: only entries before that one; null for the newest. */
  readonly before: string | null
  readonly limit: number
}

/** Entries of the ledger looked through in a row: a few milliseconds' worth. */
const AT_ONCE = 20_000
/** Sorts after every request id. */
const NEWEST = 'req_~'

/**
 * Entries of the ledger, newest first. The ledger lies in the order of its request ids, which begin with their time, and has no order by
 * account, since every commit would pay for one: it is looked through piece by piece, and the event loop goes on in between.
 *
 * @param atOnce entries of all accounts that are looked through in a row
 */
export function createUsageEntries(db: Database, atOnce = AT_ONCE) {
  const pieceEnd = db.prepare<[string], { readonly id: string; readonly at: string }>(
    `SELECT request_id AS id, at FROM usage_ledger WHERE request_id < ? ORDER BY request_id DESC LIMIT 1 OFFSET ${atOnce - 1}`,
  )
  const inPiece = db.prepare<object, UsageEntry>(
    `SELECT request_id AS requestId, at, dataset, key_id AS keyId, credits, rows FROM usage_ledger
     WHERE request_id >= @from AND request_id < @before AND account_id = @accountId AND at >= @start AND at < @end
       AND (@dataset IS NULL OR dataset = @dataset) AND (@keyId IS NULL OR key_id = @keyId)
     ORDER BY request_id DESC LIMIT @most`,
  )
  return {
    /** @returns up to `limit` entries, and whether there are more */
    async page(accountId: string, { window, dataset, keyId, before, limit }: EntriesWanted) {
      const wanted = { accountId, start: window.start, end: addDays(window.end, 1), dataset, keyId }
      // Ids are given as requests come and times as they are let in: a day is far more than lies between the two.
      const beginning = addDays(window.start, -1)
      const entries: UsageEntry[] = []
      for (let below = before ?? NEWEST; ; ) {
        const end = pieceEnd.get(below)
        const from = end?.id ?? ''
        entries.push(...inPiece.all({ ...wanted, from, before: below, most: limit + 1 - entries.length }))
        if (entries.length > limit || !end || end.at < beginning) break
        below = from
        await new Promise(setImmediate)
      }
      return { entries: entries.slice(0, limit), more: entries.length > limit }
    },
  }
}
