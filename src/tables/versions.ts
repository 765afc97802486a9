import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Dataset } from '../../catalog/index.ts'
import { releasePaths } from '../releases/index.ts'
import type { CommitInfo } from './actions.ts'

/** A version of a table: which release it is. */
export interface TableVersion {
  readonly version: number
  readonly release: string
  /** Since when it was served, milliseconds since 1970; greater than that of every version before. */
  readonly at: number
}

/** The versions of tables, as their logs have them. */
export interface TableVersions {
  /** Oldest first; none where the dataset has no log that can be read. Commits that were read before are not read again. */
  of(dataset: Dataset): Promise<readonly TableVersion[]>
}

interface Known {
  readonly versions: readonly TableVersion[]
  /** Tells a log that was written anew from the one that was read. */
  readonly first: string
}

/** @param root folder of the releases */
export function createTableVersions(root: string): TableVersions {
  const known = new Map<string, Promise<Known>>()
  const read = async (slug: string, before: Known | undefined): Promise<Known> => {
    const folder = join(releasePaths(root, slug).home, '_delta_log')
    const names = (await readdir(folder).catch(() => [])).filter(name => /^\d{20}\.json$/.test(name)).sort()
    const [oldest] = names
    if (oldest === undefined) return { versions: [], first: '' }
    const { ino, mtimeMs } = await stat(join(folder, oldest))
    const first = `${ino} ${mtimeMs} ${oldest}`
    const kept = before?.first === first && before.versions.length <= names.length ? before.versions : []
    const added = await Promise.all(names.slice(kept.length).map(name => readVersion(folder, name)))
    return { versions: [...kept, ...added], first }
  }
  return {
    async of({ slug }) {
      const before = await known.get(slug)?.catch(() => undefined)
      const reading = read(slug, before)
      known.set(slug, reading)
      return (await reading.catch(() => before))?.versions ?? []
    },
  }
}

async function readVersion(folder: string, name: string): Promise<TableVersion> {
  const [line = ''] = (await readFile(join(folder, name), 'utf8')).split('\n', 1)
  const { commitInfo } = JSON.parse(line) as { readonly commitInfo: CommitInfo }
  return { version: Number.parseInt(name, 10), release: commitInfo.operationParameters.release, at: commitInfo.inCommitTimestamp }
}
