import { LRUCache } from 'lru-cache'
import type { Dataset } from '../../catalog/index.ts'
import { type Log, ofDataset, Refusal, taipeiDay } from '../core/index.ts'
import { isShortage, readVerified, refusingShortage, retainedReleases } from './files.ts'
import type { Verifier } from './integrity.ts'
import { type Part, PublicationRecord, partFiles } from './manifest.ts'
import { type PastRelease, type Release, readPast } from './release.ts'

/** One publication of one dataset, small enough that thousands are kept in memory. */
export interface Publication extends Omit<PublicationRecord, 'dataset'> {
  readonly dataset: Dataset
}

/** One release of a lineage; without a publication where its manifest is damaged. */
export interface LineageEntry {
  readonly release: string
  readonly publication?: Publication
}

/** The releases that led to a served one, each manifest read once. */
export interface LineageReader {
  /**
   * A release, its parent, and so on while they are retained, newest first. Past a damaged manifest the lineage continues with the next
   * older release.
   */
  of(dataset: Dataset, release: string): Promise<readonly LineageEntry[]>
}

interface Known {
  readonly release: string
  readonly entries: readonly LineageEntry[]
  /** Milliseconds of the process's monotonic clock. */
  readonly at: number
}

/** Manifests read at once: enough to keep the disk busy, few enough that their texts do not pile up in memory. */
const CONCURRENT_READS = 32
/** How long a lineage with a damaged manifest is kept: the manifest may be restored from a backup. */
const RETRY_MS = 30_000

/** Keeps the lineage of each dataset's release that was last asked for. */
export function createLineageReader(root: string, log: Log): LineageReader {
  const known = new Map<string, Promise<Known>>()
  const isOld = ({ release, entries, at }: Known, wanted: string): boolean =>
    release !== wanted || (performance.now() - at > RETRY_MS && entries.some(({ publication }) => publication === undefined))
  const next = async (dataset: Dataset, release: string, former: Promise<Known> | undefined): Promise<Known> => {
    const before = await former?.catch(() => undefined)
    if (before && !isOld(before, release)) return before
    return { release, entries: await readEntries(root, dataset, release, before?.entries ?? [], log), at: performance.now() }
  }
  return {
    async of(dataset, release) {
      const reading = next(dataset, release, known.get(dataset.slug))
      known.set(dataset.slug, reading)
      return (await reading).entries
    },
  }
}

async function readEntries(
  root: string,
  dataset: Dataset,
  release: string,
  before: readonly LineageEntry[],
  log: Log,
): Promise<readonly LineageEntry[]> {
  const found = new Map(before.flatMap(({ publication }) => (publication ? [[publication.release, publication]] : [])))
  const retained = (await retainedReleases(root, dataset.slug)).filter(id => id <= release)
  const unread = retained.filter(id => !found.has(id))
  for (let from = 0; from < unread.length; from += CONCURRENT_READS) {
    const records = unread.slice(from, from + CONCURRENT_READS).map(id => readRecord(root, dataset, id, log))
    for (const publication of await Promise.all(records)) if (publication) found.set(publication.release, publication)
  }
  const entries: LineageEntry[] = []
  for (let at = retained.length - 1, next: string | null = release; at >= 0 && next !== null; at--) {
    const id: string = retained[at]!
    if (id > next) continue
    const publication = found.get(id)
    entries.push(publication ? { release: id, publication } : { release: id })
    next = publication ? publication.parent : id
  }
  return entries
}

async function readRecord(root: string, dataset: Dataset, id: string, log: Log): Promise<Publication | undefined> {
  try {
    return { ...(await readVerified(root, dataset.slug, id, PublicationRecord)), dataset }
  } catch (error) {
    if (isShortage(error)) throw error
    log('release damaged', { dataset: dataset.slug, release: id, damage: error instanceof Error ? error.message : String(error) })
    return undefined
  }
}

/**
 * What was served before a release. A release that was published but never served, or withdrawn, is not part of it. Each call throws a
 * Refusal overloaded while the process is short of open files or memory.
 */
export interface Lineage {
  /**
   * The served release, then its ancestors while they are retained, newest first; real data has no samples among them, and samples no real data.
   *
   * @throws Refusal integrity, on reaching a damaged manifest: what it said, and what came before it, is not known
   */
  publications(release: Release): Promise<Iterable<Publication>>
  /** A release of the lineage, ready to be read. @throws Refusal integrity where its manifest is damaged */
  open(publication: Publication): Promise<PastRelease>
  /** Hashes parts that were not verified before. @throws Refusal integrity at one that is damaged */
  verify(release: PastRelease, parts: readonly Part[]): Promise<void>
}

/** Parts named by the manifests in memory, some 300 bytes each. */
const CACHED_PARTS = 50_000

/** Reads the releases on disk that led to the served ones; only their manifests stay in memory. */
export function createLineage(root: string, verifier: Verifier, log: Log): Lineage {
  const reader = createLineageReader(root, log)
  const opened = new LRUCache<string, PastRelease>({
    maxSize: CACHED_PARTS,
    sizeCalculation: ({ manifest }) => Math.max(1, partFiles(manifest).length),
  })
  const read = (dataset: Dataset, id: string): Promise<PastRelease> =>
    readPast(root, dataset, id).catch(error => (isShortage(error) ? Promise.reject(error) : damaged(dataset, id)))
  return {
    async publications(release) {
      return published(release, await refusingShortage(reader.of(release.dataset, release.id)))
    },
    async open({ dataset, release: id }) {
      const name = `${dataset.slug} ${id}`
      const cached = opened.get(name)
      const release = cached ?? (await refusingShortage(read(dataset, id)))
      if (!cached) opened.set(name, release)
      return verifier.withFreshPaths(release)
    },
    async verify(release, parts) {
      if (await refusingShortage(verifier.checkParts(release, parts))) damaged(release.dataset, release.id)
    },
  }
}

function* published({ dataset, manifest }: Release, entries: readonly LineageEntry[]): Generator<Publication> {
  for (const { release, publication } of entries) {
    if (!publication) damaged(dataset, release)
    else if (publication.synthetic === manifest.synthetic) yield publication
  }
}

function damaged(dataset: Dataset, release: string): never {
  throw new Refusal('integrity', { ...ofDataset(dataset), release })
}

/** Day in Taipei on which a release was published. */
export const publishedOn = ({ published_at }: { readonly published_at: string }): string => taipeiDay(new Date(published_at))
