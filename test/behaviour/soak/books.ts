import { rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'

/** Result of comparing the ledger with the charges that answers stated. */
export interface Balance {
  /** Number of charged answers. */
  readonly answers: number
  readonly credits: number
  /** Number of charged answers that are missing in the ledger, or have other credits there. */
  readonly missing: number
  /** Number of ledger entries without a complete answer. */
  readonly unseen: number
  /** True if the totals of ledger, days and periods are equal. */
  readonly sumsAgree: boolean
  /** True if the state file passes SQLite's quick_check. */
  readonly intact: boolean
}

/** The charges that answers stated. Stored on disk, because there are millions per day. */
export interface Books {
  note(requestId: string, key: string | undefined, credits: number): void
  chargedTo(key: string): number
  /** Compares the charges with the ledger. No service may use the state file meanwhile. */
  balance(stateDb: string): Balance
  close(): void
}

/** @param folder folder of the file with the charges; an existing file is replaced */
export function openBooks(folder: string): Books {
  const file = join(folder, 'answers.sqlite')
  rmSync(file, { force: true })
  const db = new Database(file)
  db.exec(
    'PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; CREATE TABLE answer (request_id TEXT PRIMARY KEY, credits INTEGER) WITHOUT ROWID',
  )
  const insert = db.prepare('INSERT INTO answer VALUES (?, ?)')
  const charged = new Map<string, number>()
  return {
    note(requestId, key, credits) {
      if (credits === 0) return
      insert.run(requestId, credits)
      if (key !== undefined) charged.set(key, (charged.get(key) ?? 0) + credits)
    },
    chargedTo: key => charged.get(key) ?? 0,
    balance(stateDb) {
      db.prepare('ATTACH ? AS state').run(stateDb)
      const queried = <T>(sql: string): T => db.prepare(sql).pluck().get() as T
      const credits = (table: string): number => queried(`SELECT coalesce(sum(credits), 0) FROM state.${table}`)
      const balance: Balance = {
        answers: queried('SELECT count(*) FROM answer'),
        credits: queried('SELECT coalesce(sum(credits), 0) FROM answer'),
        missing: queried(
          'SELECT count(*) FROM answer a LEFT JOIN state.usage_ledger l USING (request_id) WHERE l.credits IS NOT a.credits',
        ),
        unseen: queried(
          'SELECT count(*) FROM state.usage_ledger l LEFT JOIN answer a USING (request_id) WHERE a.request_id IS NULL AND l.credits > 0',
        ),
        sumsAgree: credits('usage_ledger') === credits('usage_daily') && credits('usage_ledger') === credits('account_period'),
        intact: queried('PRAGMA state.quick_check') === 'ok',
      }
      db.exec('DETACH state')
      return balance
    },
    close() {
      db.close()
      rmSync(file, { force: true })
    },
  }
}
