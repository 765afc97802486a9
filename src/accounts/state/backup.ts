import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { sealFile, sealHolds } from './backup-seal.ts'
import { copyState, holdAlone, inspectState, type StateFacts } from './db.ts'

/** What SQLite keeps beside a state file in use. */
const BESIDE = ['-wal', '-shm']
const PAGE = 4_096

/** Copies a live state file while it is being written. The copy is whole or absent. @returns what the copy holds */
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

/** Checks a file made by `backupState`. @throws Error when it is not byte for byte what was written, or of a newer version */
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
 * Puts a backup in the place of the state file. The backup is checked first, and the former file is kept beside it with the ending
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
    // A write-ahead log left by the former file would be replayed into the restored one.
    for (const ending of ['', ...BESIDE]) if (existsSync(stateDb + ending)) renameSync(stateDb + ending, former + ending)
    renameSync(`${stateDb}.restoring`, stateDb)
    return facts
  } finally {
    remove(`${stateDb}.restoring`)
    release()
  }
}

/** A copy that only its owner may read, in place of whatever an earlier try left. */
async function copyAlone(from: string, to: string): Promise<void> {
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

const pidFile = (stateDb: string): string => `${stateDb}.pid`
const lockFile = (stateDb: string): string => `${stateDb}.lock`

/**
 * Takes the state file for this process alone: credits are set aside in memory, so a second service would sell them twice.
 *
 * @returns a function that gives it back; a process that is killed has given it back
 * @throws Error naming the process that serves from it
 */
export function claimState(stateDb: string): () => void {
  mkdirSync(dirname(stateDb), { recursive: true })
  const release = holdAlone(lockFile(stateDb))
  if (!release) throw new Error(`${stateDb} is in use by ${holderOf(stateDb)}; stop it first.`)
  writeFileSync(pidFile(stateDb), String(process.pid), { mode: 0o600 })
  return () => {
    rmSync(pidFile(stateDb), { force: true })
    release()
  }
}

/** The process that serves from the state file, if one does. */
export function runningService(stateDb: string): string | undefined {
  if (!existsSync(lockFile(stateDb))) return undefined
  const release = holdAlone(lockFile(stateDb))
  release?.()
  return release ? undefined : holderOf(stateDb)
}

const holderOf = (stateDb: string): string =>
  existsSync(pidFile(stateDb)) ? `process ${readFileSync(pidFile(stateDb), 'utf8')}` : 'another process'
