import { readFile, stat } from 'node:fs/promises'
import type { Dataset } from '../../catalog/index.ts'
import { sha256OfText } from '../releases/index.ts'
import type { CommitInfo } from './actions.ts'
import { commitFile, listLog, logFolder } from './log-files.ts'

export interface TableVersion {
  readonly version: number
  readonly release: string
  /**
   * The version is served since this time, in milliseconds since 1970. Later versions have a
   * greater value.
   */
  readonly servedAt: number
  /** sha256 of the commit text, as stated in the commit itself. */
  readonly sha256: string
}

export interface CommittedVersion extends TableVersion {
  readonly commit: string
}

/** Identifies the history of a table up to one version. */
export interface LogIdentity {
  readonly version: number
  /**
   * sha256 of a text with one line per commit, oldest first. A line is the sha256 of the commit.
   */
  readonly sha256: string
}

export interface TableVersions {
  /**
   * Returns all versions, oldest first. Versions whose commit cannot be read are omitted. Empty if
   * there is no log.
   */
  versionsOf(dataset: Dataset): Promise<readonly TableVersion[]>
  /**
   * Reads commits, beginning with version `from`. Stops after `limit` commits, after about 16 MiB,
   * or before the first commit that cannot be read.
   */
  commitsOf(dataset: Dataset, from: number, limit: number): Promise<readonly CommittedVersion[]>
}

/**
 * One call returns no more commits after this number of characters. A single commit may be longer.
 */
const MAX_COMMITS_LENGTH = 2 ** 24

/**
 * Returns the identity of a log.
 *
 * @param versions oldest first
 * @returns null if there are no versions, or one is missing
 */
export function logIdentity(versions: readonly Pick<TableVersion, 'version' | 'sha256'>[]): LogIdentity | null {
  if (versions.length === 0 || versions.some(({ version }, index) => version !== index)) return null
  return { version: versions.length - 1, sha256: sha256OfText(versions.map(({ sha256 }) => `${sha256}\n`).join('')) }
}

interface CachedLog {
  /** Identifies the first commit file of the log. Rebuilding the log changes this value. */
  readonly log: string
  readonly versions: ReadonlyMap<number, TableVersion>
}

const NONE: CachedLog = { log: '', versions: new Map() }

/**
 * Creates a reader of table versions. Each commit is read only once, because commits never change.
 *
 * @param root folder of all releases
 */
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
    // Reading fails while the log is being rebuilt. The next call tries again.
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
