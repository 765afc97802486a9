import { rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'

/** What the ledger says, held against what answers said. */
export interface Balance {
  /** Answers that cost something. */
  readonly answers: number
  readonly credits: number
  /** Of these, not in the ledger, or there with other credits. */
  readonly missing: number
  /** Entries of the ledger whose answer nobody got whole. */
  readonly unseen: number
  /** Sums of the ledger, of the days and of the periods agree. */
  readonly sumsAgree: boolean
  /** Every page of the state file is whole. */
  readonly intact: boolean
}

/** What answers said they cost, kept on disk: a soak of a day has millions. */
export interface Books {
  note(requestId: string, key: string | undefined, credits: number): void
  chargedTo(key: string): number
  /** Call once no process serves from the state file. */
  balance(stateDb: string): Balance
  close(): void
}

/** @param folder where its file is made, anew */
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
      const one = <T>(sql: string): T => db.prepare(sql).pluck().get() as T
      const credits = (table: string): number => one(`SELECT coalesce(sum(credits), 0) FROM state.${table}`)
      const balance: Balance = {
        answers: one('SELECT count(*) FROM answer'),
        credits: one('SELECT coalesce(sum(credits), 0) FROM answer'),
        missing: one('SELECT count(*) FROM answer a LEFT JOIN state.usage_ledger l USING (request_id) WHERE l.credits IS NOT a.credits'),
        unseen: one(
          'SELECT count(*) FROM state.usage_ledger l LEFT JOIN answer a USING (request_id) WHERE a.request_id IS NULL AND l.credits > 0',
        ),
        sumsAgree: credits('usage_ledger') === credits('usage_daily') && credits('usage_ledger') === credits('account_period'),
        intact: one('PRAGMA state.quick_check') === 'ok',
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
