import { LRUCache } from 'lru-cache'
import type { Dataset } from '../../catalog/index.ts'
import { ofDataset, Refusal } from '../core/index.ts'
import { isShortage, refusingShortage, releasesOnDisk } from './files.ts'
import type { Verifier } from './integrity.ts'
import { type MonthPart, type Part, releasePaths } from './manifest.ts'
import { type PastRelease, readPast } from './release.ts'

/** A file of rows that a kept release names, verified. */
export interface KeptFile {
  readonly file: Part | MonthPart
  /** Where its bytes are. */
  readonly path: string
}

/** Files of rows by their sha256, of every release that is kept, or was let go so lately that its files are still there. */
export interface KeptFiles {
  /** @throws Refusal unknown_id where no kept release of the dataset names it, integrity where it is damaged, overloaded */
  keptFile(dataset: Dataset, sha256: string): Promise<KeptFile>
}

/** Releases whose files are remembered by name, beside the served ones. */
const MOST_RELEASES = 64

interface Named {
  readonly release: PastRelease
  readonly files: ReadonlyMap<string, Part | MonthPart>
}

const byName = ({ manifest }: PastRelease): Named['files'] =>
  new Map([...manifest.parts, ...(manifest.months ?? [])].map(file => [file.sha256, file]))

/** `root` holds the releases, one folder a dataset. */
export interface KeptFilesDeps {
  readonly root: string
  readonly verifier: Verifier
  /** The served release of a dataset; undefined for none. */
  readonly served: (dataset: Dataset) => PastRelease | undefined
  /** Told of each dataset a file of which was found damaged. */
  readonly damaged: (dataset: Dataset) => void
}

export function createKeptFiles({ root, verifier, served, damaged }: KeptFilesDeps): KeptFiles {
  const servedFiles = new WeakMap<PastRelease, Named['files']>()
  const past = new LRUCache<string, Named>({ max: MOST_RELEASES })
  const inServed = (dataset: Dataset, sha256: string): Found | undefined => {
    const release = served(dataset)
    if (!release) return undefined
    const files = servedFiles.get(release) ?? byName(release)
    servedFiles.set(release, files)
    const file = files.get(sha256)
    return file && { release, file }
  }
  /** Damaged manifests name nothing. */
  const namedBy = async (dataset: Dataset, id: string): Promise<Named | undefined> => {
    const name = `${dataset.slug} ${id}`
    const known = past.get(name)
    if (known) return known
    const release = await readPast(root, dataset, id).catch(error => (isShortage(error) ? Promise.reject(error) : undefined))
    const found = release && { release, files: byName(release) }
    if (found) past.set(name, found)
    return found
  }
  const inPast = async (dataset: Dataset, sha256: string): Promise<Found | undefined> => {
    for (const id of (await releasesOnDisk(root, dataset.slug)).toReversed()) {
      const named = await namedBy(dataset, id)
      const file = named?.files.get(sha256)
      if (file) return { release: named!.release, file }
    }
    return undefined
  }
  const find = async (dataset: Dataset, sha256: string): Promise<KeptFile> => {
    const found = inServed(dataset, sha256) ?? (await inPast(dataset, sha256))
    if (!found) throw unknownFile(dataset)
    if (await verifier.checkPartFiles(found.release, [found.file])) {
      damaged(dataset)
      throw new Refusal('integrity', { ...ofDataset(dataset), release: found.release.id })
    }
    return { file: found.file, path: releasePaths(root, dataset.slug).part(sha256) }
  }
  return { keptFile: (dataset, sha256) => refusingShortage(find(dataset, sha256)) }
}

interface Found {
  readonly release: PastRelease
  readonly file: Part | MonthPart
}

const unknownFile = (dataset: Dataset): Refusal =>
  new Refusal('unknown_id', ofDataset(dataset), {
    en: 'No kept release of this dataset has that file; ask for the list of its parts again.',
    zh: '此資料集保留的版本中沒有該檔案；請重新索取檔案清單。',
  })
