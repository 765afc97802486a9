import { LRUCache } from 'lru-cache'
import type { Dataset } from '../../catalog/index.ts'
import { type Log, ofDataset, Refusal, taipeiDay, type Words } from '../core/index.ts'
import { readRecordOf, recordedReleases } from './beside-releases.ts'
import { fileVersion, isShortage, readVerified, refusingShortage, retainedReleases } from './files.ts'
import type { Verifier } from './integrity.ts'
import { checkKept } from './kept-releases.ts'
import { type Part, PublicationRecord, releasePaths } from './manifest.ts'
import { type PastRelease, type Release, readPast } from './release.ts'

/** One publication of one dataset, small enough that thousands are kept in memory. */
export interface Publication extends Omit<PublicationRecord, 'dataset'> {
  readonly dataset: Dataset
}

/** One release of a lineage; without a publication where what tells of it is damaged. */
export interface LineageEntry {
  readonly release: string
  readonly publication?: Publication
  /** It was let go: what it did is known, its rows cannot be read. */
  readonly retired?: true
}

/** The releases that led to a served one, each manifest read once. */
export interface LineageReader {
  /**
   * A release, its parent, and so on while they are retained or known to have been let go, newest first. Past a damaged manifest the
   * lineage continues with the next older release.
   */
  of(dataset: Dataset, release: string): Promise<readonly LineageEntry[]>
}

interface Known {
  readonly release: string
  readonly entries: readonly LineageEntry[]
  /** Milliseconds of the process's monotonic clock. */
  readonly at: number
  /** Version of the folder of releases that were let go. */
  readonly retired: string | undefined
}

/** Manifests read at once: enough to keep the disk busy, few enough that their texts do not pile up in memory. */
const CONCURRENT_READS = 32
/** How long a lineage with a damaged manifest is kept: the manifest may be restored from a backup. */
const RETRY_MS = 30_000

/** Keeps the lineage of each dataset's release that was last asked for. */
export function createLineageReader(root: string, log: Log): LineageReader {
  const known = new Map<string, Promise<Known>>()
  const retiredIn = ({ slug }: Dataset): string | undefined => fileVersion(releasePaths(root, slug).retired)
  const isOld = ({ release, entries, at, retired }: Known, dataset: Dataset, wanted: string): boolean =>
    release !== wanted ||
    retired !== retiredIn(dataset) ||
    (performance.now() - at > RETRY_MS && entries.some(({ publication }) => publication === undefined))
  const next = async (dataset: Dataset, release: string, former: Promise<Known> | undefined): Promise<Known> => {
    const before = await former?.catch(() => undefined)
    if (before && !isOld(before, dataset, release)) return before
    const retired = retiredIn(dataset)
    return { release, retired, entries: await readEntries(root, dataset, release, before?.entries ?? [], log), at: performance.now() }
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
  const retired = new Set((await recordedReleases(root, dataset.slug, 'retired')).filter(id => id <= release))
  const ids = retired.size === 0 ? retained : [...retained, ...retired].sort()
  const unread = ids.filter(id => !found.has(id))
  for (let from = 0; from < unread.length; from += CONCURRENT_READS) {
    const records = unread
      .slice(from, from + CONCURRENT_READS)
      .map(id => (retired.has(id) ? readRetired(root, dataset, id) : readRecord(root, dataset, id, log)))
    for (const publication of await Promise.all(records)) if (publication) found.set(publication.release, publication)
  }
  const entries: LineageEntry[] = []
  for (let at = ids.length - 1, next: string | null = release; at >= 0 && next !== null; at--) {
    const id: string = ids[at]!
    if (id > next) continue
    const publication = found.get(id)
    entries.push({ release: id, ...(publication && { publication }), ...(retired.has(id) && { retired: true }) })
    next = publication ? publication.parent : id
  }
  return entries
}

async function readRetired(root: string, dataset: Dataset, id: string): Promise<Publication | undefined> {
  const record = await readRecordOf(root, dataset.slug, 'retired', id)
  return record === null ? undefined : { ...record, dataset }
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
   * @throws Refusal integrity, on reaching a damaged manifest: what it said, and what came before it, is not known; release_retired, on
   * reaching a release that was let go
   */
  publications(release: Release): Promise<Iterable<Publication>>
  /** The same as far as releases are kept. @throws Refusal integrity */
  keptPublications(release: Release): Promise<readonly Publication[]>
  /** A release of the lineage, ready to be read. @throws Refusal integrity where its manifest is damaged, release_retired */
  open(publication: Publication): Promise<PastRelease>
  /** Hashes parts that were not verified before. @throws Refusal integrity at one that is damaged */
  verify(release: PastRelease, parts: readonly Part[]): Promise<void>
}

/** What the manifests in memory may take, about. */
const MANIFESTS_BYTES = 16 * 1024 * 1024
/** A manifest of few or many parts takes, with Node 26, about what its text does and this. */
const MANIFEST_BYTES = 2_048

/** Reads the releases on disk that led to the served ones; only their manifests stay in memory. */
export function createLineage(root: string, verifier: Verifier, log: Log): Lineage {
  const reader = createLineageReader(root, log)
  const opened = new LRUCache<string, PastRelease>({
    maxSize: MANIFESTS_BYTES,
    sizeCalculation: ({ manifest }) => JSON.stringify(manifest).length + MANIFEST_BYTES,
  })
  const read = async (dataset: Dataset, id: string): Promise<PastRelease> => {
    await checkKept(root, dataset, id)
    return readPast(root, dataset, id).catch(error => (isShortage(error) ? Promise.reject(error) : damaged(dataset, id)))
  }
  return {
    async publications(release) {
      return published(release, await refusingShortage(reader.of(release.dataset, release.id)))
    },
    async keptPublications(release) {
      const entries = await refusingShortage(reader.of(release.dataset, release.id))
      const gone = entries.findIndex(({ retired }) => retired)
      return [...published(release, gone === -1 ? entries : entries.slice(0, gone))]
    },
    async open({ dataset, release: id }) {
      const name = `${dataset.slug} ${id}`
      const cached = opened.get(name)
      const release = cached ?? (await refusingShortage(read(dataset, id)))
      if (!cached) opened.set(name, release)
      return verifier.withFreshPaths(release)
    },
    async verify(release, parts) {
      if (!(await refusingShortage(verifier.checkParts(release, parts)))) return
      await refusingShortage(checkKept(root, release.dataset, release.id))
      damaged(release.dataset, release.id)
    },
  }
}

function* published({ dataset, manifest }: Release, entries: readonly LineageEntry[]): Generator<Publication> {
  for (const { release, publication, retired } of entries) {
    if (!publication) damaged(dataset, release)
    else if (publication.synthetic !== manifest.synthetic) continue
    else if (retired) throw new Refusal('release_retired', { ...ofDataset(dataset), release }, NOT_KEPT)
    else yield publication
  }
}

const NOT_KEPT: Words = {
  en: 'What was served on that day is no longer kept; ask for a later day.',
  zh: '該日提供的版本已不再保留；請改查較晚的日期。',
}

function damaged(dataset: Dataset, release: string): never {
  throw new Refusal('integrity', { ...ofDataset(dataset), release })
}

/** Day in Taipei on which a release was published. */
export const publishedOn = ({ published_at }: { readonly published_at: string }): string => taipeiDay(new Date(published_at))
