import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandRefusal, isAlive } from '../../../src/core/index.ts'

/**
 * Locks of this process. A pid is not enough: after a restart in a container, the lock of a dead
 * process may contain the pid of this process.
 */
const ownLocks = new Set<string>()

export interface LockKind {
  readonly file: string
  readonly rule: string
  /** @param pid process that has the lock */
  readonly taken: (pid: number) => string
}

const PUBLISHING: LockKind = {
  file: '.publishing',
  rule: 'being_published',
  taken: pid => `Process ${pid} is publishing this dataset. Wait until it has finished.`,
}

/**
 * Runs work under the lock of a folder. Replaces the lock of a dead process. The default is the
 * lock for publications.
 *
 * @throws Refusal conflict if another process, or another workspace of this process, has the lock
 */
export async function withLock<T>(home: string, work: () => Promise<T>, kind: LockKind = PUBLISHING): Promise<T> {
  mkdirSync(home, { recursive: true })
  const file = join(home, kind.file)
  take(file, kind)
  ownLocks.add(file)
  try {
    sweepDrafts(home, kind)
    return await work()
  } finally {
    ownLocks.delete(file)
    rmSync(file, { force: true })
  }
}

/** Takes a lock. A complete draft is linked, so that the lock always contains its owner's pid. */
function take(file: string, kind: LockKind, again = true): void {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, String(process.pid), { mode: 0o600 })
  try {
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const holder = holderOf(file)
    if (!again || ownLocks.has(file) || isAlive(holder)) {
      throw commandRefusal('conflict', { rule: kind.rule, pid: holder }, kind.taken(holder))
    }
    if (setAside(file, holder)) take(file, kind, false)
    else take(file, kind)
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Returns the pid in a lock. 0 if the lock no longer exists. */
function holderOf(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8'))
  } catch {
    return 0
  }
}

/**
 * Moves the lock of a dead process away. If another process took the lock in the meantime,
 * restores the lock and returns false.
 */
function setAside(file: string, holder: number): boolean {
  const aside = `${file}.${process.pid}.dead`
  try {
    renameSync(file, aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true
    throw error
  }
  const theirs = Number(readFileSync(aside, 'utf8')) !== holder
  if (theirs) linkSync(aside, file)
  rmSync(aside, { force: true })
  return !theirs
}

/** Removes drafts of killed processes. */
function sweepDrafts(home: string, { file }: LockKind): void {
  for (const name of readdirSync(home)) {
    const [, holder] = name.startsWith(`${file}.`) ? (/^\.(\d+)(?:\.dead)?$/.exec(name.slice(file.length)) ?? []) : []
    if (holder !== undefined && !isAlive(Number(holder))) rmSync(join(home, name), { force: true })
  }
}
