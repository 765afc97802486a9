import { link, readdir, readFile, rm, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder, writeSynced } from '../core/index.ts'
import { releasePaths } from '../releases/index.ts'
import { type Commit, commitText, parseCommit } from './commit.ts'

export const logFolder = (root: string, slug: string): string => join(releasePaths(root, slug).home, '_delta_log')

const digits = (version: number): string => String(version).padStart(20, '0')
export const commitName = (version: number): string => `${digits(version)}.json`
export const commitFile = (folder: string, version: number): string => join(folder, commitName(version))
export const checkpointName = (version: number): string => `${digits(version)}.checkpoint.parquet`
export const LAST_CHECKPOINT = '_last_checkpoint'
/**
 * Must not be a suffix in names of commits or checkpoints, because some readers select files by
 * suffix.
 */
const DRAFT = '.draft'
export const draftOf = (folder: string, name: string): string => join(folder, `.${name}${DRAFT}`)

export interface LogListing {
  /** Ascending. */
  readonly versions: readonly number[]
  /** Ascending. */
  readonly checkpoints: readonly number[]
  /** Incomplete files that a killed process left. */
  readonly drafts: readonly string[]
}

/** Returns empty lists if the folder does not exist. */
export async function listLog(folder: string): Promise<LogListing> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? [] : Promise.reject(error)))
  const versionsOf = (form: RegExp): readonly number[] =>
    names.flatMap(name => (form.test(name) ? [Number.parseInt(name, 10)] : [])).sort((a, b) => a - b)
  return {
    versions: versionsOf(/^\d{20}\.json$/),
    checkpoints: versionsOf(/^\d{20}\.checkpoint\.parquet$/),
    drafts: names.filter(name => name.endsWith(DRAFT)),
  }
}

/** @throws Error if the file is absent or damaged */
export const readCommit = async (folder: string, version: number): Promise<Commit> =>
  parseCommit(version, await readFile(commitFile(folder, version), 'utf8'))

/**
 * Adds a commit atomically and durably. A crash leaves at most an incomplete file.
 * @throws Error with the code EEXIST if the version exists
 */
export const addCommit = (folder: string, commit: Commit): Promise<void> => addCommitText(folder, commit, commitText(commit))

export async function addCommitText(folder: string, { version, info }: Pick<Commit, 'version' | 'info'>, text: string): Promise<void> {
  const name = commitName(version)
  const draft = draftOf(folder, name)
  await writeSynced(draft, text)
  // Some readers use the modification time instead of the in-commit timestamp.
  const time = new Date(info.timestamp)
  await utimes(draft, time, time)
  try {
    await link(draft, join(folder, name))
  } finally {
    await rm(draft, { force: true })
  }
  await syncFolder(folder)
}
