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
import { claimState } from './claim.ts'
import { copyState, inspectState, type StateFacts } from './db.ts'

/** Endings of the files SQLite keeps beside a state file in use. */
const BESIDE = ['-wal', '-shm']
const PAGE = 4_096

/** Copies a state file while it is in use. The copy is complete or absent. @returns counts of what the copy contains */
export async function backupState(stateDb: string, to: string): Promise<StateFacts> {
  if (existsSync(to)) throw new Error(`${to} exists already; name a new file for the backup.`)
  if (!existsSync(stateDb)) throw new Error(`There is no state file at ${stateDb}; check DATA_DIR and STATE_DB.`)
  const part = `${to}.part`
  try {
    await copyAlone(stateDb, part)
    const facts = inspectState(part)
    sealFile(part)
    renameSync(part, to)
    return facts
  } finally {
    remove(part)
  }
}

/** Checks a file made by `backupState`. @throws Error when it is not byte for byte what was written, or was written by a newer version */
export function inspectBackup(file: string): StateFacts {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new Error(`There is no file ${file}.`)
  const alone = !BESIDE.some(ending => existsSync(`${file}${ending}`))
  const seal = sealHolds(file)
  if (seal === false) throw new Error('The backup is damaged: it is not what was written. Take another one.')
  // A state file that was never sealed, such as one kept before a restore, is whole pages.
  if (seal === undefined && statSync(file).size % PAGE !== 0) throw new Error('The backup is cut off or changed. Take another one.')
  try {
    return inspectState(file)
  } finally {
    if (alone) removeBeside(file)
  }
}

/**
 * Replaces the state file with a backup. The backup is checked first, and the previous file is kept beside it with the ending
 * `.before-restore`.
 *
 * @throws Error when the backup is damaged, or a service runs on the state file
 */
export async function restoreState(from: string, stateDb: string): Promise<StateFacts> {
  const facts = inspectBackup(from)
  const release = claimState(stateDb)
  try {
    await copyAlone(from, `${stateDb}.restoring`)
    const former = `${stateDb}.before-restore`
    remove(former)
    // A write-ahead log left by the previous file would be replayed into the restored one.
    for (const ending of ['', ...BESIDE]) if (existsSync(stateDb + ending)) renameSync(stateDb + ending, former + ending)
    renameSync(`${stateDb}.restoring`, stateDb)
    return facts
  } finally {
    remove(`${stateDb}.restoring`)
    release()
  }
}

/** Writes a copy that only its owner may read, replacing whatever an earlier attempt left. */
export async function copyAlone(from: string, to: string): Promise<void> {
  remove(to)
  writeFileSync(to, '', { mode: 0o600 })
  chmodSync(to, 0o600)
  await copyState(from, to)
}

const removeBeside = (file: string): void => {
  for (const ending of BESIDE) rmSync(file + ending, { force: true })
}

const remove = (file: string): void => {
  rmSync(file, { force: true })
  removeBeside(file)
}

/** A sealed file ends, after its pages, with this word and the sha256 of everything before it. SQLite ignores both. */
const WORD = Buffer.from('twmd-sha256:')
const DIGEST = 32
const SEAL = WORD.length + DIGEST

/** Appends the seal: SQLite does not notice a flipped bit in a value, so a backup carries its own digest. Returns once it is on the disk. */
function sealFile(path: string): void {
  withFile(path, 'r+', (file, size) => {
    writeSync(file, Buffer.concat([WORD, digestOf(file, size)]), 0, SEAL, size)
    fsyncSync(file)
  })
}

/** True for a file that is byte for byte what was sealed, false for one that is not, undefined for a file without a seal. */
function sealHolds(path: string): boolean | undefined {
  return withFile(path, 'r', (file, size) => {
    if (size < SEAL) return undefined
    const seal = Buffer.alloc(SEAL)
    readSync(file, seal, 0, SEAL, size - SEAL)
    if (!seal.subarray(0, WORD.length).equals(WORD)) return undefined
    return digestOf(file, size - SEAL).equals(seal.subarray(WORD.length))
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

/** sha256 of the first `size` bytes, read in pieces. */
function digestOf(file: number, size: number): Buffer {
  const [hash, piece] = [createHash('sha256'), Buffer.alloc(2 ** 20)]
  for (let at = 0; at < size; ) {
    const read = readSync(file, piece, 0, Math.min(piece.length, size - at), at)
    if (read === 0) break
    hash.update(piece.subarray(0, read))
    at += read
  }
  return hash.digest()
}
