import type { Database } from './db.ts'
import type { Entry } from './entry.ts'
import { ledgerWriter } from './ledger-writer.ts'
import type { Spent } from './spent.ts'

const ANCHOR_MS = 1_000

/**
 * Commits batches and keeps the sums of used credits with them. The connection syncs NORMAL; a commit a second after the last such one
 * syncs FULL, and everything before it with it.
 *
 * @returns a function that throws when a batch was not committed; whether it reached the file is then unknown, and read again
 */
export function ledgerCommit(db: Database, spent: Spent): (batch: readonly Entry[]) => void {
  const write = ledgerWriter(db)
  let anchoredAt = Number.NEGATIVE_INFINITY
  return batch => {
    const anchor = performance.now() - anchoredAt > ANCHOR_MS
    try {
      if (anchor) db.pragma('synchronous = FULL')
      write(batch)
      spent.commit(batch)
      if (anchor) anchoredAt = performance.now()
    } catch (error) {
      spent.forget()
      throw error
    } finally {
      if (anchor) db.pragma('synchronous = NORMAL')
    }
  }
}
