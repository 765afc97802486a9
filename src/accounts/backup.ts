import { chmodSync, copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { inspectState, openState, type StateFacts } from './db.ts'

/** Copies a live state file, page by page, while it is being written. The copy is whole or absent. @returns what the copy holds */
export async function backupState(stateDb: string, to: string): Promise<StateFacts> {
  if (existsSync(to)) throw new Error(`${to} exists already; name a new file for the backup.`)
  if (!existsSync(stateDb)) throw new Error(`There is no state file at ${stateDb}; check DATA_DIR and STATE_DB.`)
  const db = openState(stateDb)
  try {
    await db.backup(`${to}.part`)
  } finally {
    db.close()
  }
  chmodSync(`${to}.part`, 0o600)
  const facts = inspectState(`${to}.part`)
  renameSync(`${to}.part`, to)
  for (const left of ['-wal', '-shm']) rmSync(`${to}.part${left}`, { force: true })
  return facts
}

/**
 * Puts a backup in the place of the state file. The backup is checked first, and the former file is kept beside it with the ending
 * `.before-restore`.
 *
 * @throws Error when the backup is damaged, or a service runs on the state file
 */
export function restoreState(from: string, stateDb: string): StateFacts {
  const facts = inspectState(from)
  const holder = runningService(stateDb)
  if (holder !== undefined) throw new Error(`Process ${holder} serves from ${stateDb}; stop it before restoring.`)
  copyFileSync(from, `${stateDb}.restoring`)
  chmodSync(`${stateDb}.restoring`, 0o600)
  if (existsSync(stateDb)) renameSync(stateDb, `${stateDb}.before-restore`)
  // A write-ahead log left by the former file would be replayed into the restored one.
  for (const left of ['-wal', '-shm']) {
    if (existsSync(`${stateDb}${left}`)) renameSync(`${stateDb}${left}`, `${stateDb}.before-restore${left}`)
  }
  renameSync(`${stateDb}.restoring`, stateDb)
  return facts
}

const pidFile = (stateDb: string): string => `${stateDb}.pid`

/** Says that this process serves from the state file. @returns a function that takes it back */
export function claimState(stateDb: string): () => void {
  writeFileSync(pidFile(stateDb), String(process.pid), { mode: 0o600 })
  return () => rmSync(pidFile(stateDb), { force: true })
}

/** The process that serves from the state file, if one does. */
export function runningService(stateDb: string): number | undefined {
  if (!existsSync(pidFile(stateDb))) return undefined
  const pid = Number(readFileSync(pidFile(stateDb), 'utf8'))
  try {
    process.kill(pid, 0)
    return pid
  } catch {
    return undefined
  }
}
