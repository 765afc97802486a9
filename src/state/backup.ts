import { createHash } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename } from 'node:path'
import Sqlite from 'better-sqlite3'
import { createAuditLog } from './audit.ts'
import { claimState } from './claim.ts'
import { copyState, inspectState, type StateFacts } from './db.ts'

const SIDECARS = ['-wal', '-shm']
const PAGE_BYTES = 4_096

/**
 * Copies a state file while a service uses the file. After a crash, `target` is missing or
 * complete.
 *
 * @returns counts of the content
 */
export async function backupState(stateDb: string, target: string): Promise<StateFacts> {
  if (existsSync(target)) throw new Error(`${target} already exists. Choose another file for the backup.`)
  if (!existsSync(stateDb)) throw new Error(`There is no state file at ${stateDb}. Check DATA_DIR and STATE_DB.`)
  const part = `${target}.part`
  try {
    await copyPrivately(stateDb, part)
    const facts = inspectState(part)
    sealFile(part)
    renameSync(part, target)
    return facts
  } finally {
    remove(part)
  }
}

/** @throws Error if a byte was changed, or if a newer version of the service wrote the file */
export function inspectBackup(file: string): StateFacts {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new Error(`There is no file ${file}.`)
  const hadNoSidecars = !SIDECARS.some(ending => existsSync(`${file}${ending}`))
  const seal = verifySeal(file)
  if (seal === false) throw new Error('The backup is damaged: its checksum is wrong. Use another backup.')
  // Files without a checksum must consist of whole pages.
  if (seal === undefined && statSync(file).size % PAGE_BYTES !== 0)
    throw new Error('The backup is incomplete or was changed. Use another backup.')
  try {
    return inspectState(file)
  } finally {
    if (hadNoSidecars) removeSidecars(file)
  }
}

/**
 * Replaces the state file by a backup. Renames the previous file to `.before-restore`.
 *
 * @throws Error if the backup is damaged, or if a service uses the state file
 */
export async function restoreState(from: string, stateDb: string): Promise<StateFacts> {
  const facts = inspectBackup(from)
  const release = claimState(stateDb)
  try {
    await copyPrivately(from, `${stateDb}.restoring`)
    recordRestore(`${stateDb}.restoring`, basename(from))
    const previous = `${stateDb}.before-restore`
    remove(previous)
    // Renames the write-ahead log, too. SQLite would otherwise write this log into the restored
    // file.
    for (const ending of ['', ...SIDECARS]) if (existsSync(stateDb + ending)) renameSync(stateDb + ending, previous + ending)
    renameSync(`${stateDb}.restoring`, stateDb)
    return facts
  } finally {
    remove(`${stateDb}.restoring`)
    release()
  }
}

/** Does not migrate the schema, so that an earlier version can open the file. */
function recordRestore(restored: string, backup: string): void {
  const db = new Sqlite(restored)
  try {
    createAuditLog(db).write({ actor: 'operator', action: 'state restored', accountId: null, target: backup }, new Date())
  } finally {
    db.close()
  }
}

/** Creates the copy with mode 0600. Replaces a partial copy. */
export async function copyPrivately(from: string, target: string): Promise<void> {
  remove(target)
  writeFileSync(target, '', { mode: 0o600 })
  chmodSync(target, 0o600)
  await copyState(from, target)
}

const removeSidecars = (file: string): void => {
  for (const ending of SIDECARS) rmSync(file + ending, { force: true })
}

const remove = (file: string): void => {
  rmSync(file, { force: true })
  removeSidecars(file)
}

/**
 * Marks the checksum at the end of a backup: the sha256 of all bytes before the mark. SQLite
 * ignores additional bytes.
 */
const SEAL_MARK = Buffer.from('twmd-sha256:')
const DIGEST_BYTES = 32
const SEAL_BYTES = SEAL_MARK.length + DIGEST_BYTES

/** Appends a sha256, because SQLite does not detect flipped bits in values. */
function sealFile(path: string): void {
  withFile(path, 'r+', (file, size) => {
    writeSync(file, Buffer.concat([SEAL_MARK, digestOf(file, size)]), 0, SEAL_BYTES, size)
    fsyncSync(file)
  })
}

/** @returns undefined if the file has no checksum */
function verifySeal(path: string): boolean | undefined {
  return withFile(path, 'r', (file, size) => {
    if (size < SEAL_BYTES) return undefined
    const seal = Buffer.alloc(SEAL_BYTES)
    readSync(file, seal, 0, SEAL_BYTES, size - SEAL_BYTES)
    if (!seal.subarray(0, SEAL_MARK.length).equals(SEAL_MARK)) return undefined
    return digestOf(file, size - SEAL_BYTES).equals(seal.subarray(SEAL_MARK.length))
  })
}

function withFile<T>(path: string, flags: 'r' | 'r+', work: (file: number, size: number) => T): T {
  const file = openSync(path, flags)
  try {
    return work(file, fstatSync(file).size)
  } finally {
    closeSync(file)
  }
}

function digestOf(file: number, size: number): Buffer {
  const hash = createHash('sha256')
  const piece = Buffer.alloc(2 ** 20)
  for (let position = 0; position < size; ) {
    const read = readSync(file, piece, 0, Math.min(piece.length, size - position), position)
    if (read === 0) break
    hash.update(piece.subarray(0, read))
    position += read
  }
  return hash.digest()
}
