import { readFile, stat } from 'node:fs/promises'
import type { Dataset } from '../../catalog/index.ts'
import type { CommitInfo } from './actions.ts'
import { commitFile, listLog, logFolder } from './log-files.ts'

/** A version of a table and its release. */
export interface TableVersion {
  readonly version: number
  readonly release: string
  /** Start of being served, in milliseconds since 1970; greater than in every earlier version. */
  readonly servedAt: number
}

/** Versions of tables, from their logs. */
export interface TableVersions {
  /** Oldest first, without versions whose commit cannot be read; empty without a log. */
  versionsOf(dataset: Dataset): Promise<readonly TableVersion[]>
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
  return {
    async versionsOf({ slug }) {
      const before = (await cache.get(slug)?.catch(() => undefined)) ?? NONE
      const reading = read(logFolder(root, slug), before)
      cache.set(slug, reading)
      // Reading fails while the log is rebuilt; the next call retries.
      return [...(await reading.catch(() => before)).versions.values()]
    },
  }
}

async function readVersion(folder: string, version: number): Promise<TableVersion | null> {
  try {
    const [line = ''] = (await readFile(commitFile(folder, version), 'utf8')).split('\n', 1)
    const { inCommitTimestamp: servedAt, operationParameters } = (JSON.parse(line) as { readonly commitInfo: CommitInfo }).commitInfo
    return { version, release: operationParameters.release, servedAt }
  } catch {
    return null
  }
}
