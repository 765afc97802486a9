import { chmodSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Sqlite, { type Database } from 'better-sqlite3'
import { commandRefusal, isAlive } from '../core/index.ts'
import { IS_API_KEY } from './browser-key.ts'
import { MIGRATIONS } from './migrations.ts'

export type { Database } from 'better-sqlite3'

/** Called with the old and the new schema version. */
export type UpgradeListener = (from: number, to: number) => void

/** Size of the write-ahead log after a checkpoint. */
const WAL_LIMIT_BYTES = 64 * 2 ** 20

/**
 * Opens the state file with mode 0600. Saves a copy before an upgrade of the schema.
 *
 * @param synchronous FULL if commits must survive a power cut
 * @param busyMs maximum wait for a lock in ms. Blocks the process
 * @throws Error if a newer version of the service wrote the file
 */
export function openState(
  path: string,
  synchronous: 'FULL' | 'NORMAL' = 'FULL',
  busyMs = 5_000,
  onUpgrade: UpgradeListener = () => {},
): Database {
  const db = new Sqlite(path)
  if (path !== ':memory:') chmodSync(path, 0o600)
  enableWal(db, busyMs)
  db.pragma(`synchronous = ${synchronous}`)
  db.pragma(`journal_size_limit = ${WAL_LIMIT_BYTES}`)
  db.pragma('foreign_keys = ON')
  db.pragma('trusted_schema = OFF')
  // Overwrites deleted data with zeros.
  db.pragma('secure_delete = ON')
  try {
    migrate(db, path, onUpgrade)
  } catch (error) {
    db.close()
    throw error
  }
  db.pragma(`busy_timeout = ${busyMs}`)
  return db
}

/** Tries again, because SQLite ignores the busy timeout while another process closes the file. */
function enableWal(db: Database, busyMs: number): void {
  const deadline = performance.now() + busyMs
  for (;;) {
    try {
      return void db.pragma('journal_mode = WAL')
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    }
  }
}

export const isBusy = (error: unknown): boolean => error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY')

/** True if the state file cannot be written. SQLite has already rolled back the transaction. */
export const isUnwritable = (error: unknown): boolean =>
  isBusy(error) || (error instanceof Sqlite.SqliteError && /^SQLITE_(FULL|READONLY|IOERR_(WRITE|FSYNC|TRUNCATE|SHM))/.test(error.code))

export const isStateDamaged = (error: unknown): boolean =>
  error instanceof Sqlite.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code)

export const corruptionError = (finding: string): Error => new Sqlite.SqliteError(finding, 'SQLITE_CORRUPT')

/**
 * Explains errors of a damaged state file.
 *
 * @throws Refusal integrity with the path and the remedy
 */
export function explainDamage<T>(path: string, open: () => T): T {
  try {
    return open()
  } catch (error) {
    if (!(error instanceof Sqlite.SqliteError) || !/^SQLITE_(CORRUPT|NOTADB|ERROR$)/.test(error.code)) throw error
    const advice = 'Stop the service and restore a backup with twmd restore <backup>. The damaged file stays next to it.'
    throw commandRefusal('integrity', {}, `The state file ${path} is damaged (${error.code}: ${error.message}). ${advice}`)
  }
}

function migrate(db: Database, path: string, onUpgrade: UpgradeListener): void {
  refuseNewer(db)
  if (path !== ':memory:') removeUnfinished(path)
  const version = versionOf(db)
  if (version === MIGRATIONS.length) return
  if (version > 0 && path !== ':memory:') saveFormer(db, path, version)
  db.transaction(() => {
    for (const step of MIGRATIONS.slice(versionOf(db))) db.exec(step)
    db.pragma(`user_version = ${MIGRATIONS.length}`)
  }).immediate()
  if (version > 0) onUpgrade(version, MIGRATIONS.length)
}

export const formerStatePath = (path: string, version: number): string => `${path}.before-schema-${version}`

function removeUnfinished(path: string): void {
  const prefix = `${basename(path)}.before-schema-`
  for (const name of readdirSync(dirname(path))) {
    const creatorPid = name.startsWith(prefix) ? /^\d+\.(\d+)(-journal)?$/.exec(name.slice(prefix.length))?.[1] : undefined
    if (creatorPid && !isAlive(Number(creatorPid))) rmSync(join(dirname(path), name), { force: true })
  }
}

function saveFormer(db: Database, path: string, version: number): void {
  const saved = formerStatePath(path, version)
  const part = `${saved}.${process.pid}`
  // VACUUM INTO does not change the mode of an existing file.
  writeFileSync(part, '', { mode: 0o600 })
  db.prepare('VACUUM INTO ?').run(part)
  renameSync(part, saved)
  const name = basename(saved)
  for (const other of readdirSync(dirname(path)))
    if (other.startsWith(`${basename(path)}.before-schema-`) && other !== name && /-\d+$/.test(other)) rmSync(join(dirname(path), other))
}

const versionOf = (db: Database): number => db.pragma('user_version', { simple: true }) as number

function refuseNewer(db: Database): void {
  if (versionOf(db) > MIGRATIONS.length)
    throw new Error('The state file was written by a newer version of twmd. Start that version, or restore a backup made by this one.')
}

/** Copies in one step. Under load, a copy in several steps would never finish. */
export async function copyState(from: string, target: string): Promise<void> {
  const db = new Sqlite(from, { readonly: true, fileMustExist: true })
  try {
    await db.backup(target, { progress: () => 2 ** 31 - 1 })
  } finally {
    db.close()
  }
  const copy = new Sqlite(target)
  copy.pragma('journal_mode = DELETE')
  copy.close()
}

export interface StateFacts {
  readonly schemaVersion: number
  readonly accounts: number
  readonly activeKeys: number
  readonly ledgerRows: number
  readonly creditsUsed: number
}

/**
 * Checks every page.
 * @throws Error if the file is damaged, or is not a state file of twmd
 */
export function inspectState(path: string): StateFacts {
  const db = new Sqlite(path, { readonly: true, fileMustExist: true })
  try {
    const verdict = db.pragma('integrity_check', { simple: true })
    if (verdict !== 'ok') throw new Error(`The file is damaged: ${String(verdict).replaceAll(/\s+/g, ' ')}. Restore an intact backup.`)
    refuseNewer(db)
    return factsOf(db)
  } catch (error) {
    if (error instanceof Sqlite.SqliteError)
      throw new Error(`The file is not a complete twmd state file (${error.code}). Restore an intact backup.`)
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
    activeKeys: count(`(SELECT count(*) FROM api_key WHERE status = 'active' AND ${IS_API_KEY})`),
    ledgerRows: count('(SELECT count(*) FROM usage_ledger)'),
    creditsUsed: count('(SELECT coalesce(sum(credits), 0) FROM usage_ledger)'),
  }
}
