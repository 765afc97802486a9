import type { Dataset } from '../../catalog/index.ts'
import { createSerial, ofDataset, Refusal } from '../core/index.ts'
import { isShortage, refusingShortage, releasesOnDisk } from './files.ts'
import type { Verifier } from './integrity.ts'
import { type PartFile, partFiles, releasePaths } from './manifest.ts'
import { type PastRelease, readPast } from './release.ts'

/** A verified Parquet file of a retained release. */
export interface RetainedFile {
  readonly file: PartFile
  readonly path: string
}

/** Finds Parquet files by sha256. */
export interface RetainedFiles {
  /**
   * @throws Refusal unknown_id if no release of the dataset contains the file; integrity if the
   * file is damaged; overloaded
   */
  retainedFile(dataset: Dataset, sha256: string): Promise<RetainedFile>
}

interface IndexEntry {
  readonly release: string
  readonly file: PartFile
}

interface Index {
  readonly releases: Set<string>
  readonly files: Map<string, IndexEntry>
}

const filesBySha256 = (release: PastRelease): ReadonlyMap<string, PartFile> =>
  new Map(partFiles(release.manifest).map(file => [file.sha256, file]))

export interface RetainedFilesDeps {
  readonly root: string
  readonly verifier: Verifier
  readonly served: (dataset: Dataset) => PastRelease | undefined
  /** Called if a file is damaged, or was replaced after the served release was opened. */
  readonly review: (dataset: Dataset) => void
}

export function createRetainedFiles({ root, verifier, served, review }: RetainedFilesDeps): RetainedFiles {
  const servedFiles = new WeakMap<PastRelease, ReadonlyMap<string, PartFile>>()
  const indexes = new Map<string, Index>()
  const serials = new Map<string, ReturnType<typeof createSerial>>()
  const inServed = (dataset: Dataset, sha256: string): IndexEntry | undefined => {
    const release = served(dataset)
    if (!release) return undefined
    const files = servedFiles.get(release) ?? filesBySha256(release)
    servedFiles.set(release, files)
    const file = files.get(sha256)
    return file && { release: release.id, file }
  }
  /**
   * Adds new releases to the index, and rebuilds the index after a removal. Skips releases with a
   * damaged manifest.
   */
  const indexOf = async (dataset: Dataset): Promise<Index> => {
    const onDisk = new Set(await releasesOnDisk(root, dataset.slug))
    const former = indexes.get(dataset.slug)
    const isUsable = former !== undefined && [...former.releases].every(id => onDisk.has(id))
    const index = isUsable ? former : { releases: new Set<string>(), files: new Map<string, IndexEntry>() }
    indexes.set(dataset.slug, index)
    for (const id of onDisk) {
      if (index.releases.has(id)) continue
      const release = await readPast(root, dataset, id).catch(error => (isShortage(error) ? Promise.reject(error) : undefined))
      if (!release) continue
      index.releases.add(id)
      for (const file of partFiles(release.manifest)) {
        const indexed = index.files.get(file.sha256)
        if (!indexed || indexed.release < id) index.files.set(file.sha256, { release: id, file })
      }
    }
    return index
  }
  const inPast = async (dataset: Dataset, sha256: string): Promise<IndexEntry | undefined> => {
    const serialize = serials.get(dataset.slug) ?? createSerial()
    serials.set(dataset.slug, serialize)
    const { files } = await serialize(() => indexOf(dataset))
    return files.get(sha256)
  }
  const find = async (dataset: Dataset, sha256: string): Promise<RetainedFile> => {
    const entry = inServed(dataset, sha256) ?? (await inPast(dataset, sha256))
    if (!entry) throw unknownFile(dataset)
    if (await verifier.checkPartFiles({ dataset }, [entry.file])) {
      review(dataset)
      throw new Refusal('integrity', { ...ofDataset(dataset), release: entry.release })
    }
    const release = served(dataset)
    if (release && verifier.withFreshPaths(release) !== release) review(dataset)
    return { file: entry.file, path: releasePaths(root, dataset.slug).file(entry.file) }
  }
  return { retainedFile: (dataset, sha256) => refusingShortage(find(dataset, sha256)) }
}

const unknownFile = (dataset: Dataset): Refusal =>
  new Refusal('unknown_id', ofDataset(dataset), {
    en: 'No retained release of this dataset contains the file. Request the list of parts again.',
    zh: '此資料集保留的版本中沒有該檔案。請重新取得檔案清單。',
  })
