import { LRUCache } from 'lru-cache'
import type { Dataset } from '../../catalog/index.ts'
import { type Log, ofDataset, Refusal, taipeiDay, type Words } from '../core/index.ts'
import { fileVersion, isShortage, readVerified, refusingShortage, retainedReleases } from './files.ts'
import type { Verifier } from './integrity.ts'
import { type Part, PublicationRecord, releasePaths } from './manifest.ts'
import { type PastRelease, type Release, readPast } from './release.ts'
import { readRecordOf, recordedReleases } from './release-records.ts'
import { checkRetained } from './retained-releases.ts'

/** Facts about a publication. Must be small, because thousands are in memory. */
export interface Publication extends Omit<PublicationRecord, 'dataset'> {
  readonly dataset: Dataset
}

/** `publication` is absent if the manifest or the record of retirement is damaged. */
export interface LineageEntry {
  readonly release: string
  readonly publication?: Publication
  /**
   * Present if the release is retired. The rows cannot be read, but the publication is still
   * listed.
   */
  readonly retired?: true
}

/** Reads each manifest only once. */
export interface LineageReader {
  /**
   * Returns a release and all ancestors that are still known. At a damaged manifest, continues with
   * the next older release.
   */
  entriesOf(dataset: Dataset, release: string): Promise<readonly LineageEntry[]>
}

interface CachedLineage {
  readonly release: string
  readonly entries: readonly LineageEntry[]
  /** Milliseconds of the monotonic clock. */
  readonly readAt: number
  /** Version of the folder of retirement records. Changes when a record is added. */
  readonly retired: string | undefined
}

/** Enough concurrent reads to keep the disk busy. */
const CONCURRENT_READS = 32
/**
 * A damaged manifest is read again after this time (ms), because a backup may have restored the
 * manifest.
 */
const RETRY_MS = 30_000

/** Caches the last requested list of each dataset. */
export function createLineageReader(root: string, log: Log): LineageReader {
  const cache = new Map<string, Promise<CachedLineage>>()
  const retiredVersion = ({ slug }: Dataset): string | undefined => fileVersion(releasePaths(root, slug).retired)
  const isStale = ({ release, entries, readAt, retired }: CachedLineage, dataset: Dataset, wanted: string): boolean =>
    release !== wanted ||
    retired !== retiredVersion(dataset) ||
    (performance.now() - readAt > RETRY_MS && entries.some(({ publication }) => publication === undefined))
  const next = async (dataset: Dataset, release: string, former: Promise<CachedLineage> | undefined): Promise<CachedLineage> => {
    const formerEntries = await former?.catch(() => undefined)
    if (formerEntries && !isStale(formerEntries, dataset, release)) return formerEntries
    const retired = retiredVersion(dataset)
    const entries = await readEntries(root, dataset, release, formerEntries?.entries ?? [], log)
    return { release, retired, entries, readAt: performance.now() }
  }
  return {
    async entriesOf(dataset, release) {
      const reading = next(dataset, release, cache.get(dataset.slug))
      cache.set(dataset.slug, reading)
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
  const publications = new Map(before.flatMap(({ publication }) => (publication ? [[publication.release, publication]] : [])))
  const retained = (await retainedReleases(root, dataset.slug)).filter(id => id <= release)
  const retired = new Set((await recordedReleases(root, dataset.slug, 'retired')).filter(id => id <= release))
  const ids = retired.size === 0 ? retained : [...retained, ...retired].sort()
  const unread = ids.filter(id => !publications.has(id))
  for (let from = 0; from < unread.length; from += CONCURRENT_READS) {
    const records = unread
      .slice(from, from + CONCURRENT_READS)
      .map(id => (retired.has(id) ? readRetired(root, dataset, id) : readRecord(root, dataset, id, log)))
    for (const publication of await Promise.all(records)) if (publication) publications.set(publication.release, publication)
  }
  const entries: LineageEntry[] = []
  for (let index = ids.length - 1, next: string | null = release; index >= 0 && next !== null; index--) {
    const id: string = ids[index]!
    if (id > next) continue
    const publication = publications.get(id)
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

export type ServedAt =
  | { readonly release: string }
  | {
      /**
       * Retired release that was served at the requested time. Null if the dataset had no release
       * at that time.
       */
      readonly retired: string | null
      /** First later day with a readable release, in Taipei. */
      readonly firstDay: string
    }

/**
 * Ancestors of a release, except withdrawn releases. Every method throws Refusal overloaded if the
 * process lacks file descriptors or memory.
 */
export interface Lineage {
  /**
   * Newest first. Never mixes real and sample data.
   * @throws Refusal integrity at a damaged manifest and release_retired at a retired release,
   * during the iteration
   */
  publications(release: Release): Promise<Iterable<Publication>>
  /** Like `publications`, but ends before the first retired release. @throws Refusal integrity */
  retainedPublications(release: Release): Promise<readonly Publication[]>
  /**
   * Finds the release that was served at a time (Unix time in ms). Never mixes real and sample
   * data.
   * @throws Refusal integrity at a damaged manifest
   */
  servedAt(release: Release, time: number): Promise<ServedAt>
  /** @throws Refusal integrity if the manifest is damaged; release_retired */
  open(publication: Publication): Promise<PastRelease>
  /** Hashes files that are not verified yet. @throws Refusal integrity if a file is damaged */
  verify(release: PastRelease, parts: readonly Part[]): Promise<void>
}

const MANIFESTS_BYTES = 16 * 1024 * 1024
/** Memory of a parsed manifest in bytes, without the text. Measured with Node 26. */
const MANIFEST_BYTES = 2_048

/** Caches manifests, but no rows. */
export function createLineage(root: string, verifier: Verifier, log: Log): Lineage {
  const reader = createLineageReader(root, log)
  const manifests = new LRUCache<string, PastRelease>({
    maxSize: MANIFESTS_BYTES,
    sizeCalculation: ({ manifest }) => JSON.stringify(manifest).length + MANIFEST_BYTES,
  })
  const read = async (dataset: Dataset, id: string): Promise<PastRelease> => {
    await checkRetained(root, dataset, id)
    return readPast(root, dataset, id).catch(error => (isShortage(error) ? Promise.reject(error) : damaged(dataset, id)))
  }
  return {
    async publications(release) {
      return published(release, await refusingShortage(reader.entriesOf(release.dataset, release.id)))
    },
    async retainedPublications(release) {
      const entries = await refusingShortage(reader.entriesOf(release.dataset, release.id))
      const firstRetired = entries.findIndex(({ retired }) => retired)
      return [...published(release, firstRetired === -1 ? entries : entries.slice(0, firstRetired))]
    },
    async servedAt(release, time) {
      if (Date.parse(release.manifest.published_at) <= time) return { release: release.id }
      return findServedAt(release, await refusingShortage(reader.entriesOf(release.dataset, release.id)), time)
    },
    async open({ dataset, release: id }) {
      const name = `${dataset.slug} ${id}`
      const cached = manifests.get(name)
      const release = cached ?? (await refusingShortage(read(dataset, id)))
      if (!cached) manifests.set(name, release)
      return verifier.withFreshPaths(release)
    },
    async verify(release, parts) {
      if (!(await refusingShortage(verifier.checkParts(release, parts)))) return
      await refusingShortage(checkRetained(root, release.dataset, release.id))
      damaged(release.dataset, release.id)
    },
  }
}

function* published({ dataset, manifest }: Release, entries: readonly LineageEntry[]): Generator<Publication> {
  for (const { release, publication, retired } of entries) {
    if (!publication) damaged(dataset, release)
    else if (publication.synthetic !== manifest.synthetic) continue
    else if (retired) throw new Refusal('release_retired', { ...ofDataset(dataset), release }, NOT_RETAINED)
    else yield publication
  }
}

function findServedAt({ dataset, manifest }: Release, entries: readonly LineageEntry[], time: number): ServedAt {
  let firstDay = publishedOn(manifest)
  let laterDay: string | null = null
  let parent: string | null = null
  for (const { release, publication, retired = false } of entries) {
    if (!publication) damaged(dataset, release)
    if (publication.synthetic !== manifest.synthetic) continue
    if (Date.parse(publication.published_at) <= time) return retired ? { retired: release, firstDay } : { release }
    const day = publishedOn(publication)
    // The last release of a day was served at the end of the day.
    if (day !== laterDay && !retired) firstDay = day
    laterDay = day
    parent = publication.parent
  }
  // The parent has neither files nor a retirement record.
  return { retired: parent, firstDay }
}

const NOT_RETAINED: Words = {
  en: 'The release that was served on that day is no longer available. Request a later day.',
  zh: '該日提供的版本已不再保留。請改查較晚的日期。',
}

function damaged(dataset: Dataset, release: string): never {
  throw new Refusal('integrity', { ...ofDataset(dataset), release })
}

/** Day of publication in Taipei. */
export const publishedOn = ({ published_at }: { readonly published_at: string }): string => taipeiDay(new Date(published_at))
