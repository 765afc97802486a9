import { readFile, stat } from 'node:fs/promises'
import type { Dataset } from '../../catalog/index.ts'
import { sha256OfText } from '../releases/index.ts'
import type { CommitInfo } from './actions.ts'
import { commitFile, listLog, logFolder } from './log-files.ts'

/** A version of a table and its release. */
export interface TableVersion {
  readonly version: number
  readonly release: string
  /**
   * Time since which the version is served, in milliseconds since 1970. Greater than for every
   * earlier version.
   */
  readonly servedAt: number
  /** sha256 of the commit text, as stated in the commit. */
  readonly sha256: string
}

/** A version with the text of its commit file. */
export interface CommittedVersion extends TableVersion {
  readonly commit: string
}

/** Identifies the history of a table up to a version. */
export interface LogIdentity {
  readonly version: number
  /** sha256 of a text that contains the sha256 of each commit on its own line, oldest first. */
  readonly sha256: string
}

/** Versions of tables, from their logs. */
export interface TableVersions {
  /** Oldest first. Omits versions whose commit cannot be read. Empty if there is no log. */
  versionsOf(dataset: Dataset): Promise<readonly TableVersion[]>
  /**
   * Reads commits, starting with version `from`: at most `limit`, at most about 16 MiB, and none
   * after an unreadable one.
   */
  commitsOf(dataset: Dataset, from: number, limit: number): Promise<readonly CommittedVersion[]>
}

/**
 * Maximum length of the commits that one call returns, in characters. A single commit may exceed
 * it.
 */
const MAX_COMMITS_LENGTH = 2 ** 24

/**
 * Identity of a log, from its versions, oldest first. Null if one is missing, or there are none.
 */
export function logIdentity(versions: readonly Pick<TableVersion, 'version' | 'sha256'>[]): LogIdentity | null {
  if (versions.length === 0 || versions.some(({ version }, index) => version !== index)) return null
  return { version: versions.length - 1, sha256: sha256OfText(versions.map(({ sha256 }) => `${sha256}\n`).join('')) }
}

interface CachedLog {
  /** Identity of the log, which changes when it is rebuilt. */
  readonly log: string
  readonly versions: ReadonlyMap<number, TableVersion>
}

const NONE: CachedLog = { log: '', versions: new Map() }

/** Reads each commit once, because commits are immutable. @param root folder of the releases */
export function createTableVersions(root: string): TableVersions {
  const cache = new Map<string, Promise<CachedLog>>()
  const read = async (folder: string, before: CachedLog): Promise<CachedLog> => {
    const numbers = (await listLog(folder)).versions
    const [first] = numbers
    if (first === undefined) return NONE
    const { ino, ctimeMs } = await stat(commitFile(folder, first))
    const log = `${first} ${ino} ${ctimeMs}`
    const cachedVersions = before.log === log ? before.versions : NONE.versions
    const versions = await Promise.all(numbers.map(number => cachedVersions.get(number) ?? readVersion(folder, number)))
    return { log, versions: new Map(versions.flatMap(version => (version ? [[version.version, version]] : []))) }
  }
  const versionsOf: TableVersions['versionsOf'] = async ({ slug }) => {
    const before = (await cache.get(slug)?.catch(() => undefined)) ?? NONE
    const reading = read(logFolder(root, slug), before)
    cache.set(slug, reading)
    // Reading fails while the log is rebuilt; the next call retries.
    return [...(await reading.catch(() => before)).versions.values()]
  }
  return {
    versionsOf,
    async commitsOf(dataset, from, limit) {
      const versions = (await versionsOf(dataset)).filter(({ version }) => version >= from).slice(0, limit)
      const commits: CommittedVersion[] = []
      let length = 0
      for (const [index, version] of versions.entries()) {
        if (version.version !== from + index || length > MAX_COMMITS_LENGTH) break
        const commit = await readFile(commitFile(logFolder(root, dataset.slug), version.version), 'utf8').catch(() => null)
        if (commit === null) break
        length += commit.length
        commits.push({ ...version, commit })
      }
      return commits
    },
  }
}

async function readVersion(folder: string, version: number): Promise<TableVersion | null> {
  try {
    const [line = ''] = (await readFile(commitFile(folder, version), 'utf8')).split('\n', 1)
    const { inCommitTimestamp: servedAt, operationParameters } = (JSON.parse(line) as { readonly commitInfo: CommitInfo }).commitInfo
    const { release, sha256 } = operationParameters
    return { version, release, servedAt, sha256 }
  } catch {
    return null
  }
}
