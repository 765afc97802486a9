import { readFile, stat } from 'node:fs/promises'
import type { Dataset } from '../../catalog/index.ts'
import type { CommitInfo } from './actions.ts'
import { commitFile, listLog, logFolder } from './log-files.ts'

/** A version of a table: which release it is. */
export interface TableVersion {
  readonly version: number
  readonly release: string
  /** Since when it was served, milliseconds since 1970; greater than that of every version before. */
  readonly at: number
}

/** The versions of tables, as their logs have them. */
export interface TableVersions {
  /** Oldest first, those left out whose commit cannot be read; none where there is no log. */
  of(dataset: Dataset): Promise<readonly TableVersion[]>
}

interface Known {
  /** Tells the log that was read from one written anew. */
  readonly log: string
  readonly versions: ReadonlyMap<number, TableVersion>
}

const NONE: Known = { log: '', versions: new Map() }

/** Commits are read once, since none ever changes. @param root folder of the releases */
export function createTableVersions(root: string): TableVersions {
  const known = new Map<string, Promise<Known>>()
  const read = async (folder: string, before: Known): Promise<Known> => {
    const numbers = (await listLog(folder)).versions
    const [first] = numbers
    if (first === undefined) return NONE
    const { ino, ctimeMs } = await stat(commitFile(folder, first))
    const log = `${first} ${ino} ${ctimeMs}`
    const kept = before.log === log ? before.versions : NONE.versions
    const versions = await Promise.all(numbers.map(number => kept.get(number) ?? readVersion(folder, number)))
    return { log, versions: new Map(versions.flatMap(one => (one ? [[one.version, one]] : []))) }
  }
  return {
    async of({ slug }) {
      const before = (await known.get(slug)?.catch(() => undefined)) ?? NONE
      const reading = read(logFolder(root, slug), before)
      known.set(slug, reading)
      // A log that is being written anew is read at the next call.
      return [...(await reading.catch(() => before)).versions.values()]
    },
  }
}

async function readVersion(folder: string, version: number): Promise<TableVersion | null> {
  try {
    const [line = ''] = (await readFile(commitFile(folder, version), 'utf8')).split('\n', 1)
    const { inCommitTimestamp: at, operationParameters } = (JSON.parse(line) as { readonly commitInfo: CommitInfo }).commitInfo
    return { version, release: operationParameters.release, at }
  } catch {
    return null
  }
}
