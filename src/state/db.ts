import { chmodSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Sqlite, { type Database } from 'better-sqlite3'
import { commandRefusal, isAlive } from '../core/index.ts'
import { IS_GIVEN } from './browser-key.ts'
import { MIGRATIONS } from './migrations.ts'

export type { Database } from 'better-sqlite3'

/** What the write-ahead log is cut back to once it was taken into the file: a long read lets it grow, and SQLite leaves it as large. */
const WAL_BYTES = 64 * 2 ** 20

/**
 * Opens the state file, mode 0600, and migrates its schema in one transaction: a crash midway leaves the previous schema. The state before
 * it is kept beside the file, see `formerState`.
 *
 * @param synchronous FULL where an acknowledged row must survive a power cut, NORMAL for the ledger, which survives a killed process
 * @param busyMs how long to wait for another process that writes; the whole process blocks
 * @throws Error when the file was written by a newer version of the service
 */
export function openState(path: string, synchronous: 'FULL' | 'NORMAL' = 'FULL', busyMs = 5_000): Database {
  const db = new Sqlite(path)
  if (path !== ':memory:') chmodSync(path, 0o600)
  turnOnWal(db, busyMs)
  db.pragma(`synchronous = ${synchronous}`)
  db.pragma(`journal_size_limit = ${WAL_BYTES}`)
  db.pragma('foreign_keys = ON')
  db.pragma('trusted_schema = OFF')
  // Erased data is overwritten: a revoked key's copy, a code, a closed account's address.
  db.pragma('secure_delete = ON')
  try {
    migrate(db, path)
  } catch (error) {
    db.close()
    throw error
  }
  db.pragma(`busy_timeout = ${busyMs}`)
  return db
}

/** Waits by itself: SQLite ignores its busy timeout here while another process closes the file. */
function turnOnWal(db: Database, busyMs: number): void {
  const until = performance.now() + busyMs
  for (;;) {
    try {
      return void db.pragma('journal_mode = WAL')
    } catch (error) {
      if (!isBusy(error) || performance.now() > until) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    }
  }
}

/** True for an error that means another process holds the file. */
export const isBusy = (error: unknown): boolean => error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY')

/**
 * True for an error that means the state file takes no writes: the disk is full, failing or read-only, or another process has been writing
 * for too long. What was written with it is undone.
 */
export const isUnwritable = (error: unknown): boolean =>
  isBusy(error) || (error instanceof Sqlite.SqliteError && /^SQLITE_(FULL|READONLY|IOERR_(WRITE|FSYNC|TRUNCATE|SHM))/.test(error.code))

/** The error SQLite itself throws for a file that is not whole. */
export const damaged = (finding: string): Error => new Sqlite.SqliteError(finding, 'SQLITE_CORRUPT')

/** Opens what lies in a state file. @throws Refusal integrity with the path and what to do when the file is damaged */
export function explainDamage<T>(path: string, open: () => T): T {
  try {
    return open()
  } catch (error) {
    if (!(error instanceof Sqlite.SqliteError) || !/^SQLITE_(CORRUPT|NOTADB)/.test(error.code)) throw error
    const advice = 'Stop what runs on it and put a backup back with twmd restore <backup>; the damaged file is kept beside it.'
    throw commandRefusal('integrity', {}, `The state file ${path} is damaged (${error.code}: ${error.message}). ${advice}`)
  }
}

function migrate(db: Database, path: string): void {
  refuseNewer(db)
  if (path !== ':memory:') removeUnfinished(path)
  const version = versionOf(db)
  if (version === MIGRATIONS.length) return
  if (version > 0 && path !== ':memory:') keepFormer(db, path, version)
  db.transaction(() => {
    for (const step of MIGRATIONS.slice(versionOf(db))) db.exec(step)
    db.pragma(`user_version = ${MIGRATIONS.length}`)
  }).immediate()
}

/** Where the state as it was before an upgrade is kept: the way back for the version of twmd before. */
export const formerState = (path: string, version: number): string => `${path}.before-schema-${version}`

/** Removes copies that a process began and did not live to finish. */
function removeUnfinished(path: string): void {
  const beginning = `${basename(path)}.before-schema-`
  for (const name of readdirSync(dirname(path))) {
    const maker = name.startsWith(beginning) ? /^\d+\.(\d+)(-journal)?$/.exec(name.slice(beginning.length))?.[1] : undefined
    if (maker && !isAlive(Number(maker))) rmSync(join(dirname(path), name), { force: true })
  }
}

/** Keeps one moment of the file, for its owner alone, and removes those of earlier upgrades. */
function keepFormer(db: Database, path: string, version: number): void {
  const [kept, part] = [formerState(path, version), `${formerState(path, version)}.${process.pid}`]
  // SQLite writes into an empty file that is there, and leaves its mode.
  writeFileSync(part, '', { mode: 0o600 })
  db.prepare('VACUUM INTO ?').run(part)
  renameSync(part, kept)
  const name = basename(kept)
  for (const other of readdirSync(dirname(path)))
    if (other.startsWith(`${basename(path)}.before-schema-`) && other !== name && /-\d+$/.test(other)) rmSync(join(dirname(path), other))
}

const versionOf = (db: Database): number => db.pragma('user_version', { simple: true }) as number

function refuseNewer(db: Database): void {
  if (versionOf(db) > MIGRATIONS.length)
    throw new Error('The state file was written by a newer version of twmd. Start that version, or restore a backup made by this one.')
}

/**
 * Copies a state file of any version, while others write to it, into a single file. The copy is made in one step: a copy in several
 * steps starts over after every commit in between, and under load never finishes.
 */
export async function copyState(from: string, to: string): Promise<void> {
  const db = new Sqlite(from, { readonly: true, fileMustExist: true })
  try {
    await db.backup(to, { progress: () => 2 ** 31 - 1 })
  } finally {
    db.close()
  }
  const copy = new Sqlite(to)
  copy.pragma('journal_mode = DELETE')
  copy.close()
}

/** Counts of what a state file contains, to compare a backup with its original. */
export interface StateFacts {
  readonly schemaVersion: number
  readonly accounts: number
  readonly activeKeys: number
  readonly ledgerRows: number
  readonly creditsUsed: number
}

/**
 * Opens a state file read-only and checks every page.
 *
 * @throws Error when it is not a state file of ours, or damaged
 */
export function inspectState(path: string): StateFacts {
  const db = new Sqlite(path, { readonly: true, fileMustExist: true })
  try {
    const verdict = db.pragma('integrity_check', { simple: true })
    if (verdict !== 'ok')
      throw new Error(`The file is damaged: ${String(verdict).replaceAll(/\s+/g, ' ')}; restore a backup that is whole.`)
    refuseNewer(db)
    return factsOf(db)
  } catch (error) {
    if (error instanceof Sqlite.SqliteError)
      throw new Error(`The file is not a whole state file of twmd (${error.code}); restore a backup that is whole.`)
    throw error
  } finally {
    db.close()
  }
}

/** Counts what an open state file contains. */
export function factsOf(db: Database): StateFacts {
  const count = (sql: string): number => db.prepare<[], { n: number }>(`SELECT ${sql} AS n`).get()!.n
  return {
    schemaVersion: db.pragma('user_version', { simple: true }) as number,
    accounts: count('(SELECT count(*) FROM account)'),
    activeKeys: count(`(SELECT count(*) FROM api_key WHERE status = 'active' AND ${IS_GIVEN})`),
    ledgerRows: count('(SELECT count(*) FROM usage_ledger)'),
    creditsUsed: count('(SELECT coalesce(sum(credits), 0) FROM usage_ledger)'),
  }
}
