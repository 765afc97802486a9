import { addDays, firstRequestId } from '../core/index.ts'
import type { Database } from '../state/index.ts'
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

/** Entries of the ledger looked through in a row: a millisecond's worth, many times that where they have to come from the disk. */
const AT_ONCE = 2_000
/** Milliseconds of the latest request id that is looked for, and how near a search comes. */
const [LATEST_MS, NEAR_MS] = [2 ** 45, 2 ** 21]

/**
 * Entries of the ledger, newest first. The ledger lies in the order of its request ids, which begin with their time, and has no order by
 * account, since every commit would pay for one: between the first and the last day on which the roll-up has such entries it is looked
 * through piece by piece, and the event loop goes on in between.
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
  const days = db.prepare<object, { readonly first: string | null; readonly last: string | null }>(
    `SELECT min(day) AS first, max(day) AS last FROM usage_daily WHERE account_id = @accountId AND day >= @start AND day < @end
       AND requests > 0 AND (@dataset IS NULL OR dataset = @dataset) AND (@keyId IS NULL OR key_id = @keyId)`,
  )
  const timeFrom = db.prepare<[string], string>('SELECT at FROM usage_ledger WHERE request_id >= ? ORDER BY request_id LIMIT 1').pluck()
  /** An id that sorts after those of every entry before the day. */
  const idFrom = (day: string): string => {
    let [low, high] = [0, LATEST_MS]
    while (high - low > NEAR_MS) {
      const middle = (low + high) / 2
      const at = timeFrom.get(firstRequestId(middle))
      if (at === undefined || at >= day) high = middle
      else low = middle
    }
    return firstRequestId(high)
  }
  return {
    /** @returns up to `limit` entries, and whether there are more */
    async page(accountId: string, { window, dataset, keyId, before, limit }: EntriesWanted) {
      const wanted = { accountId, start: window.start, end: addDays(window.end, 1), dataset, keyId }
      const { first, last } = days.get(wanted)!
      if (first === null || last === null) return { entries: [], more: false }
      // Ids are given as requests come and times as they are let in: a day is far more than lies between the two.
      const [beginning, latest] = [addDays(first, -1), idFrom(addDays(last, 2))]
      const entries: UsageEntry[] = []
      for (let below = before !== null && before < latest ? before : latest; ; ) {
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
