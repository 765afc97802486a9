import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandRefusal, isAlive } from '../../../src/core/index.ts'

/** Locks this process holds. After a restart in a container a dead process's lock can carry our own pid. */
const held = new Set<string>()

/** What a lock is for: its file in the folder that is locked, and what whoever comes second is told. */
export interface LockKind {
  readonly file: string
  readonly rule: string
  /** A sentence for a person, of the process that holds it. */
  readonly taken: (pid: number) => string
}

const PUBLISHING: LockKind = {
  file: '.publishing',
  rule: 'being_published',
  taken: pid => `Process ${pid} is publishing this dataset; wait for it to finish.`,
}

/**
 * One piece of work on a folder at a time, whichever process runs it; a publication of its dataset, unless another kind is named. A lock
 * left by a process that died is taken over.
 *
 * @throws Refusal conflict when another process, or another workspace of this one, holds the lock
 */
export async function withLock<T>(home: string, work: () => Promise<T>, kind: LockKind = PUBLISHING): Promise<T> {
  mkdirSync(home, { recursive: true })
  const file = join(home, kind.file)
  take(file, kind)
  held.add(file)
  try {
    sweepDrafts(home, kind)
    return await work()
  } finally {
    held.delete(file)
    rmSync(file, { force: true })
  }
}

/** Creates the lock by hard link, so that it never exists without its holder's pid in it. */
function take(file: string, kind: LockKind, again = true): void {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, String(process.pid), { mode: 0o600 })
  try {
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const holder = holderOf(file)
    if (!again || held.has(file) || isAlive(holder)) {
      throw commandRefusal('conflict', { rule: kind.rule, pid: holder }, kind.taken(holder))
    }
    if (setAside(file, holder)) take(file, kind, false)
    else take(file, kind)
  } finally {
    rmSync(draft, { force: true })
  }
}

/** The pid in a lock; 0 when the lock is gone by now. */
function holderOf(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8'))
  } catch {
    return 0
  }
}

/** Moves a dead holder's lock out of the way. Returns false, with the lock put back, when another process held it by then. */
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

/** Removes lock drafts of processes killed while taking a lock. */
function sweepDrafts(home: string, { file }: LockKind): void {
  for (const name of readdirSync(home)) {
    const [, holder] = name.startsWith(`${file}.`) ? (/^\.(\d+)(?:\.dead)?$/.exec(name.slice(file.length)) ?? []) : []
    if (holder !== undefined && !isAlive(Number(holder))) rmSync(join(home, name), { force: true })
  }
}
