import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '../../src/core/errors.ts'

/**
 * One publication of a dataset at a time, whichever process runs it. A lock left by a process that died is taken over.
 *
 * @throws Refusal body_refused when another process is publishing
 */
export async function withLock<T>(home: string, work: () => Promise<T>): Promise<T> {
  mkdirSync(home, { recursive: true })
  const file = join(home, '.publishing')
  take(file)
  try {
    return await work()
  } finally {
    rmSync(file, { force: true })
  }
}

/** The lock appears with its holder's number in it, or not at all. */
function take(file: string, again = true): void {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, String(process.pid), { mode: 0o600 })
  try {
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const holder = Number(readFileSync(file, 'utf8'))
    if (!again || isAlive(holder)) {
      throw new Refusal(
        'body_refused',
        { rule: 'being_published', pid: holder },
        `Process ${holder} is publishing this dataset; wait for it to finish.`,
      )
    }
    rmSync(file, { force: true })
    take(file, false)
  } finally {
    rmSync(draft, { force: true })
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return pid === process.pid
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
