import type { Dataset } from '../../catalog/index.ts'
import { createSerial, ofDataset, Refusal } from '../core/index.ts'
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

/** A file and the newest release that names it. */
interface Found {
  readonly release: string
  readonly file: Part | MonthPart
}

/** Files by their sha256, of releases that were read once. */
interface Index {
  readonly releases: Set<string>
  readonly files: Map<string, Found>
}

const filesOf = ({ manifest }: PastRelease): readonly (Part | MonthPart)[] => [...manifest.parts, ...(manifest.months ?? [])]

const byName = (release: PastRelease): ReadonlyMap<string, Part | MonthPart> => new Map(filesOf(release).map(file => [file.sha256, file]))

/** `root` holds the releases, one folder a dataset. */
export interface KeptFilesDeps {
  readonly root: string
  readonly verifier: Verifier
  /** The served release of a dataset; undefined for none. */
  readonly served: (dataset: Dataset) => PastRelease | undefined
  /** Told of each dataset a file of which turned out damaged, or another file than the served release was opened with. */
  readonly review: (dataset: Dataset) => void
}

export function createKeptFiles({ root, verifier, served, review }: KeptFilesDeps): KeptFiles {
  const servedFiles = new WeakMap<PastRelease, ReadonlyMap<string, Part | MonthPart>>()
  const indexes = new Map<string, Index>()
  const serials = new Map<string, ReturnType<typeof createSerial>>()
  const inServed = (dataset: Dataset, sha256: string): Found | undefined => {
    const release = served(dataset)
    if (!release) return undefined
    const files = servedFiles.get(release) ?? byName(release)
    servedFiles.set(release, files)
    const file = files.get(sha256)
    return file && { release: release.id, file }
  }
  /** Reads what was published since the last time; all of it again once a release is gone. Damaged manifests name nothing. */
  const indexOf = async (dataset: Dataset): Promise<Index> => {
    const there = new Set(await releasesOnDisk(root, dataset.slug))
    const former = indexes.get(dataset.slug)
    const index =
      former && [...former.releases].every(id => there.has(id)) ? former : { releases: new Set<string>(), files: new Map<string, Found>() }
    indexes.set(dataset.slug, index)
    for (const id of there) {
      if (index.releases.has(id)) continue
      const release = await readPast(root, dataset, id).catch(error => (isShortage(error) ? Promise.reject(error) : undefined))
      if (!release) continue
      index.releases.add(id)
      for (const file of filesOf(release)) {
        const known = index.files.get(file.sha256)
        if (!known || known.release < id) index.files.set(file.sha256, { release: id, file })
      }
    }
    return index
  }
  const inPast = async (dataset: Dataset, sha256: string): Promise<Found | undefined> => {
    const inSerial = serials.get(dataset.slug) ?? createSerial()
    serials.set(dataset.slug, inSerial)
    const { files } = await inSerial(() => indexOf(dataset))
    return files.get(sha256)
  }
  const find = async (dataset: Dataset, sha256: string): Promise<KeptFile> => {
    const found = inServed(dataset, sha256) ?? (await inPast(dataset, sha256))
    if (!found) throw unknownFile(dataset)
    if (await verifier.checkPartFiles({ dataset }, [found.file])) {
      review(dataset)
      throw new Refusal('integrity', { ...ofDataset(dataset), release: found.release })
    }
    const release = served(dataset)
    if (release && verifier.withFreshPaths(release) !== release) review(dataset)
    return { file: found.file, path: releasePaths(root, dataset.slug).part(sha256) }
  }
  return { keptFile: (dataset, sha256) => refusingShortage(find(dataset, sha256)) }
}

const unknownFile = (dataset: Dataset): Refusal =>
  new Refusal('unknown_id', ofDataset(dataset), {
    en: 'No kept release of this dataset has that file; ask for the list of its parts again.',
    zh: '此資料集保留的版本中沒有該檔案；請重新索取檔案清單。',
  })
