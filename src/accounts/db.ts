import { chmodSync } from 'node:fs'
import Sqlite, { type Database } from 'better-sqlite3'
import { MIGRATIONS } from './migrations.ts'

export type { Database } from 'better-sqlite3'

/**
 * Opens the state file, mode 0600, and brings its schema up to date in one transaction: a crash midway leaves the former schema.
 * The only file that imports better-sqlite3.
 *
 * @param synchronous FULL where an acknowledged row must survive a power cut, NORMAL for the ledger, which survives a killed process
 * @throws Error when the file was written by a newer version of the service
 */
export function openState(path: string, synchronous: 'FULL' | 'NORMAL' = 'FULL'): Database {
  const db = new Sqlite(path)
  if (path !== ':memory:') chmodSync(path, 0o600)
  db.pragma('journal_mode = WAL')
  db.pragma(`synchronous = ${synchronous}`)
  db.pragma('foreign_keys = ON')
  db.pragma('trusted_schema = OFF')
  db.pragma('busy_timeout = 5000')
  migrate(db)
  return db
}

function migrate(db: Database): void {
  const version = (): number => db.pragma('user_version', { simple: true }) as number
  if (version() > MIGRATIONS.length) {
    db.close()
    throw new Error('The state file was written by a newer version of twmd. Start that version, or restore a backup made by this one.')
  }
  db.transaction(() => {
    for (const step of MIGRATIONS.slice(version())) db.exec(step)
    db.pragma(`user_version = ${MIGRATIONS.length}`)
  }).immediate()
}

/** What a state file holds, counted; for comparing a backup with its original. */
export interface StateFacts {
  readonly schemaVersion: number
  readonly accounts: number
  readonly activeKeys: number
  readonly ledgerRows: number
  readonly creditsUsed: number
}

/**
 * Opens a state file for reading only and checks it page by page.
 *
 * @throws Error when it is no state file of ours, or damaged
 */
export function inspectState(path: string): StateFacts {
  const db = new Sqlite(path, { readonly: true, fileMustExist: true })
  try {
    const verdict = db.pragma('integrity_check', { simple: true })
    if (verdict !== 'ok') throw new Error(`The file is damaged: ${String(verdict)}`)
    return factsOf(db)
  } catch (error) {
    if (error instanceof Sqlite.SqliteError) throw new Error(`The file is not a whole state file of twmd (${error.code}).`)
    throw error
  } finally {
    db.close()
  }
}

export function factsOf(db: Database): StateFacts {
  const count = (sql: string): number => db.prepare<[], { n: number }>(`SELECT ${sql} AS n`).get()!.n
  return {
    schemaVersion: db.pragma('user_version', { simple: true }) as number,
    accounts: count('(SELECT count(*) FROM account)'),
    activeKeys: count("(SELECT count(*) FROM api_key WHERE status = 'active')"),
    ledgerRows: count('(SELECT count(*) FROM usage_ledger)'),
    creditsUsed: count('(SELECT coalesce(sum(credits), 0) FROM usage_ledger)'),
  }
}
