import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '../core/index.ts'
import { removeCheckpoints } from './checkpoint.ts'
import type { Commit, Version } from './commit.ts'
import { addCommit, commitName, listLog, readCommit } from './log-files.ts'

/** Removes what a killed writer left in a log. */
export async function sweepDrafts(folder: string): Promise<void> {
  const { drafts } = await listLog(folder)
  await Promise.all(drafts.map(name => rm(join(folder, name), { force: true })))
}

interface Step {
  readonly commit: Commit
  /** What the commit leads to. */
  readonly version: Version
}

/** Writes checkpoints into a folder that has a log up to a version. */
type Checkpoint = (folder: string, version: Version) => Promise<void>

/**
 * Writes a whole log from its first commit on. Where every commit that is intact is one of these, only those that are damaged or missing are
 * put in their places, and a crash leaves the log with fewer of them mended. Otherwise the folder is exchanged: a crash between two renames
 * leaves no log, which the next publication writes.
 *
 * @param home folder of the table
 * @throws what writing throws; the log is then as it was, or mended in part
 */
export async function writeAnew(
  home: string,
  folder: string,
  steps: AsyncIterable<Step>,
  checkpoint: Checkpoint,
): Promise<{ readonly version: number; readonly commits: number }> {
  const stage = join(home, '.stage-table-log')
  await rm(stage, { recursive: true, force: true })
  await mkdir(stage, { recursive: true })
  try {
    const { newest, faulty, fits } = await stageSteps(stage, folder, steps)
    const { versions } = await listLog(folder)
    if (versions.length > 0 && fits && versions.at(-1)! <= newest.version) {
      await mendInPlace(stage, folder, faulty)
      await checkpoint(folder, newest)
      return { version: newest.version, commits: faulty.length }
    }
    await checkpoint(stage, newest)
    await exchange(home, stage, folder)
    return { version: newest.version, commits: newest.version + 1 }
  } finally {
    await rm(stage, { recursive: true, force: true })
  }
}

async function stageSteps(stage: string, folder: string, steps: AsyncIterable<Step>) {
  const faulty: number[] = []
  let newest: Version | undefined
  let fits = true
  for await (const { commit, version } of steps) {
    const kept = await readCommit(folder, commit.version).catch(() => null)
    if (kept === null) faulty.push(commit.version)
    else fits &&= deedsOf(kept) === deedsOf(commit)
    await addCommit(stage, commit)
    newest = version
  }
  if (!newest) throw new Error('no release that was served can be read')
  return { newest, faulty, fits }
}

/** What a commit does to a table, whatever it says about it. */
const deedsOf = ({ info: { operationParameters }, actions }: Commit): string =>
  JSON.stringify([
    operationParameters.event,
    operationParameters.release,
    actions.flatMap(action => ('remove' in action ? [action.remove.path] : [])),
    actions.flatMap(action => ('add' in action ? [action.add.path] : [])),
  ])

/** Checkpoints go first: one of them may be what is damaged, and readers do without. */
async function mendInPlace(stage: string, folder: string, faulty: readonly number[]): Promise<void> {
  await removeCheckpoints(folder)
  for (const version of faulty) {
    await rename(join(stage, commitName(version)), join(folder, commitName(version)))
    await syncFolder(folder)
  }
}

async function exchange(home: string, stage: string, folder: string): Promise<void> {
  const former = join(home, '.stage-former-table-log')
  await rm(former, { recursive: true, force: true })
  await rename(folder, former).catch((error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? undefined : Promise.reject(error)))
  await rename(stage, folder)
  await syncFolder(home)
  await rm(former, { recursive: true, force: true })
}
