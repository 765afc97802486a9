import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import Sqlite from 'better-sqlite3'
import { isBusy } from './db.ts'

const pidFile = (stateDb: string): string => `${stateDb}.pid`
const lockFile = (stateDb: string): string => `${stateDb}.lock`

/**
 * Prevents a second service on the same state file, which would sell credits twice.
 *
 * @returns a function that releases the state file
 * @throws Error with the name of the process that uses the state file
 */
export function claimState(stateDb: string): () => void {
  mkdirSync(dirname(stateDb), { recursive: true })
  const release = lockExclusively(lockFile(stateDb))
  if (!release) throw new Error(`${stateDb} is in use by ${holderOf(stateDb)}. Stop it first.`)
  writeFileSync(pidFile(stateDb), String(process.pid), { mode: 0o600 })
  return () => {
    rmSync(pidFile(stateDb), { force: true })
    release()
  }
}

export function runningService(stateDb: string): string | undefined {
  if (!existsSync(lockFile(stateDb))) return undefined
  const release = lockExclusively(lockFile(stateDb))
  release?.()
  return release ? undefined : holderOf(stateDb)
}

const holderOf = (stateDb: string): string =>
  existsSync(pidFile(stateDb)) ? `process ${readFileSync(pidFile(stateDb), 'utf8')}` : 'another process'

/**
 * Locks a file until the process ends.
 *
 * @param path a file that is used only for the lock
 * @returns a function that releases the lock. Undefined if another process has the lock
 */
function lockExclusively(path: string): (() => void) | undefined {
  const db = new Sqlite(path, { timeout: 0 })
  chmodSync(path, 0o600)
  try {
    db.pragma('journal_mode = MEMORY')
    db.exec('BEGIN EXCLUSIVE')
    return () => db.close()
  } catch (error) {
    db.close()
    if (isBusy(error)) return undefined
    throw error
  }
}
