import { readFile, stat } from 'node:fs/promises'
import type { Dataset } from '../../catalog/index.ts'
import { sha256OfText } from '../releases/index.ts'
import type { CommitInfo } from './actions.ts'
import { commitFile, listLog, logFolder } from './log-files.ts'

export interface TableVersion {
  readonly version: number
  readonly release: string
  /** Milliseconds since 1970. Always greater than in earlier versions. */
  readonly servedAt: number
  readonly sha256: string
}

export interface CommittedVersion extends TableVersion {
  readonly commit: string
}

export interface LogIdentity {
  readonly version: number
  /** sha256 over the hashes of all commits, one per line, oldest first. */
  readonly sha256: string
}

export interface TableVersions {
  /** Oldest first. Omits unreadable commits. Empty if there is no log. */
  versionsOf(dataset: Dataset): Promise<readonly TableVersion[]>
  /** Stops after `limit` commits, after about 16 MiB, or before an unreadable commit. */
  commitsOf(dataset: Dataset, from: number, limit: number): Promise<readonly CommittedVersion[]>
}

/** In characters. A single commit may be longer. */
const MAX_COMMITS_LENGTH = 2 ** 24

/**
 * @param versions the versions, oldest first
 * @returns null if a version is missing
 */
export function logIdentity(versions: readonly Pick<TableVersion, 'version' | 'sha256'>[]): LogIdentity | null {
  if (versions.length === 0 || versions.some(({ version }, index) => version !== index)) return null
  return { version: versions.length - 1, sha256: sha256OfText(versions.map(({ sha256 }) => `${sha256}\n`).join('')) }
}

interface CachedLog {
  /** Changes when the log is rebuilt. */
  readonly log: string
  readonly versions: ReadonlyMap<number, TableVersion>
}

const NONE: CachedLog = { log: '', versions: new Map() }

/**
 * Reads each commit only once.
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
    // Reading fails during a rebuild of the log. The result is then the cached list.
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
