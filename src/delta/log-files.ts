import { link, readdir, readFile, rm, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder, writeSynced } from '../core/index.ts'
import { releasePaths } from '../releases/index.ts'
import { type Commit, commitText, parseCommit } from './commit.ts'

/** Folder of a table's log. */
export const logFolder = (root: string, slug: string): string => join(releasePaths(root, slug).home, '_delta_log')

const digits = (version: number): string => String(version).padStart(20, '0')
export const commitName = (version: number): string => `${digits(version)}.json`
/** One commit of a log. */
export const commitFile = (folder: string, version: number): string => join(folder, commitName(version))
export const checkpointName = (version: number): string => `${digits(version)}.checkpoint.parquet`
/** Names the newest checkpoint. */
export const LAST_CHECKPOINT = '_last_checkpoint'
/** Of what a killed process leaves. Simple readers go by the end of a name, so it is none that they look for. */
const DRAFT = '.draft'
export const draftOf = (folder: string, name: string): string => join(folder, `.${name}${DRAFT}`)

/** What lies in a log's folder. */
export interface LogListing {
  /** Versions that have a commit, ascending. */
  readonly versions: readonly number[]
  /** Versions that have a checkpoint, ascending. */
  readonly checkpoints: readonly number[]
  readonly drafts: readonly string[]
}

/** Nothing where there is no folder. */
export async function listLog(folder: string): Promise<LogListing> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? [] : Promise.reject(error)))
  const versionsOf = (form: RegExp): readonly number[] =>
    names.flatMap(name => (form.test(name) ? [Number.parseInt(name, 10)] : [])).sort((one, other) => one - other)
  return {
    versions: versionsOf(/^\d{20}\.json$/),
    checkpoints: versionsOf(/^\d{20}\.checkpoint\.parquet$/),
    drafts: names.filter(name => name.endsWith(DRAFT)),
  }
}

/** @throws Error where the file is absent, or not as it was written */
export const readCommit = async (folder: string, version: number): Promise<Commit> =>
  parseCommit(version, await readFile(commitFile(folder, version), 'utf8'))

/**
 * Adds a commit to a log. It appears whole and durable, or not at all; a crash leaves at most a draft.
 *
 * @throws Error with the code EEXIST where the version is there already
 */
export async function addCommit(folder: string, commit: Commit): Promise<void> {
  const name = commitName(commit.version)
  const draft = draftOf(folder, name)
  await writeSynced(draft, commitText(commit))
  // Readers that know no in-commit timestamps go by the time of the file.
  const at = new Date(commit.info.timestamp)
  await utimes(draft, at, at)
  try {
    await link(draft, join(folder, name))
  } finally {
    await rm(draft, { force: true })
  }
  await syncFolder(folder)
}
