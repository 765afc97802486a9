import type { Database } from '../state/db.ts'
import { ledgerWriter } from './batch.ts'
import type { Entry } from './entry.ts'
import type { Spent } from './totals.ts'

const ANCHOR_MS = 1_000

/**
 * Commits batches and keeps the sums of used credits with them. The connection syncs NORMAL; once a second passed since the last FULL
 * commit, the next one is FULL, and everything before it is synced with it.
 *
 * @returns a function that throws when a commit failed. Whether the batch reached the file is unknown then, so the sums are read again,
 * and who tries again asks first what is booked
 */
export function ledgerCommit(db: Database, spent: Spent): (batch: readonly Entry[]) => void {
  const write = ledgerWriter(db)
  let anchoredAt = Number.NEGATIVE_INFINITY
  return batch => {
    const anchor = performance.now() - anchoredAt > ANCHOR_MS
    try {
      if (anchor) db.pragma('synchronous = FULL')
      spent.commit(write(batch))
      if (anchor) anchoredAt = performance.now()
    } catch (error) {
      spent.forget()
      throw error
    } finally {
      if (anchor) db.pragma('synchronous = NORMAL')
    }
  }
}
