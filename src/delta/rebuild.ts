import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '../core/index.ts'
import { removeCheckpoints } from './checkpoint.ts'
import type { Commit, Version } from './commit.ts'
import { addCommit, commitName, listLog, readCommit } from './log-files.ts'

/** Removes files that a killed process left. */
export async function sweepDrafts(folder: string): Promise<void> {
  const { drafts } = await listLog(folder)
  await Promise.all(drafts.map(name => rm(join(folder, name), { force: true })))
}

interface Step {
  readonly commit: Commit
  readonly version: Version
}

/** Writes a checkpoint if one is due. */
type Checkpoint = (folder: string, version: Version) => Promise<void>

/**
 * Repairs a log. If all intact commits match `steps`, replaces only faulty commits. Otherwise
 * replaces the folder. A crash can leave the table without a log. The next publication then writes
 * the log again.
 * @param home folder of the table
 * @throws if writing fails; the log is then unchanged or partly repaired
 */
export async function rebuildLog(
  home: string,
  folder: string,
  steps: AsyncIterable<Step>,
  checkpoint: Checkpoint,
): Promise<{ readonly version: number; readonly commits: number }> {
  return withStage(home, async stage => {
    const { newest, faulty, fits } = await stageSteps(stage, folder, steps)
    const { versions } = await listLog(folder)
    if (versions.length > 0 && fits && versions.at(-1)! <= newest.version) {
      await repairInPlace(stage, folder, faulty)
      await checkpoint(folder, newest)
      return { version: newest.version, commits: faulty.length }
    }
    await checkpoint(stage, newest)
    await replaceFolder(home, stage, folder)
    return { version: newest.version, commits: newest.version + 1 }
  })
}

/** Calls `write` with an empty folder, then removes the folder. */
export async function withStage<T>(home: string, write: (stage: string) => Promise<T>): Promise<T> {
  const stage = join(home, '.stage-table-log')
  await rm(stage, { recursive: true, force: true })
  await mkdir(stage, { recursive: true })
  try {
    return await write(stage)
  } finally {
    await rm(stage, { recursive: true, force: true })
  }
}

async function stageSteps(stage: string, folder: string, steps: AsyncIterable<Step>) {
  const faulty: number[] = []
  let newest: Version | undefined
  let fits = true
  for await (const { commit, version } of steps) {
    const existing = await readCommit(folder, commit.version).catch(() => null)
    if (existing === null) faulty.push(commit.version)
    else fits &&= changesOf(existing) === changesOf(commit)
    await addCommit(stage, commit)
    newest = version
  }
  if (!newest) throw new Error('none of the served releases can be read')
  return { newest, faulty, fits }
}

/** Excludes the metadata. */
const changesOf = ({ info: { operationParameters }, actions }: Commit): string =>
  JSON.stringify([
    operationParameters.event,
    operationParameters.release,
    actions.flatMap(action => ('remove' in action ? [action.remove.path] : [])),
    actions.flatMap(action => ('add' in action ? [action.add.path] : [])),
  ])

/** Removes the checkpoints, because they may be damaged and readers do not need them. */
async function repairInPlace(stage: string, folder: string, faulty: readonly number[]): Promise<void> {
  await removeCheckpoints(folder)
  for (const version of faulty) {
    await rename(join(stage, commitName(version)), join(folder, commitName(version)))
    await syncFolder(folder)
  }
}

/** A crash between the renames leaves no log. */
export async function replaceFolder(home: string, stage: string, folder: string): Promise<void> {
  const former = join(home, '.stage-former-table-log')
  await rm(former, { recursive: true, force: true })
  await rename(folder, former).catch((error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? undefined : Promise.reject(error)))
  await rename(stage, folder)
  await syncFolder(home)
  await rm(former, { recursive: true, force: true })
}
