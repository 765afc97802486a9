import type { Dataset } from '../../catalog/index.ts'
import type { Log } from '../core/index.ts'
import { retainedReleases } from './fallback.ts'
import { PublicationRecord } from './manifest.ts'
import { readSealed } from './release.ts'

/** One publication of one dataset, small enough that thousands are kept in memory. */
export interface Publication extends Omit<PublicationRecord, 'dataset'> {
  readonly dataset: Dataset
}

/** One release of a line; without a publication where its manifest cannot be read. */
export interface LineageEntry {
  readonly release: string
  readonly publication?: Publication
}

/** The releases that led to what is served, read once each. */
export interface LineageReader {
  /**
   * A served release, its parent, and so on while they are kept, newest first. Past a manifest that cannot be read the line goes on with
   * the next older release.
   */
  of(dataset: Dataset, release: string): Promise<readonly LineageEntry[]>
}

interface Known {
  readonly release: string
  readonly line: readonly LineageEntry[]
  readonly at: number
}

/** Manifests read at once: enough to keep the disk busy, few enough that their texts do not pile up in memory. */
const AT_ONCE = 32
/** How long a line with a damaged manifest is left alone: it may be mended from a backup. */
const RETRY_MS = 30_000

/** Keeps the line of every dataset's last release that was asked for. */
export function createLineageReader(root: string, log: Log): LineageReader {
  const known = new Map<string, Promise<Known>>()
  const isOld = ({ release, line, at }: Known, wanted: string): boolean =>
    release !== wanted || (performance.now() - at > RETRY_MS && line.some(({ publication }) => publication === undefined))
  const next = async (dataset: Dataset, release: string, former: Promise<Known> | undefined): Promise<Known> => {
    const before = await former?.catch(() => undefined)
    if (before && !isOld(before, release)) return before
    return { release, line: await lineOf(root, dataset, release, before?.line ?? [], log), at: performance.now() }
  }
  return {
    async of(dataset, release) {
      const reading = next(dataset, release, known.get(dataset.slug))
      known.set(dataset.slug, reading)
      return (await reading).line
    },
  }
}

async function lineOf(
  root: string,
  dataset: Dataset,
  release: string,
  before: readonly LineageEntry[],
  log: Log,
): Promise<readonly LineageEntry[]> {
  const found = new Map(before.flatMap(({ publication }) => (publication ? [[publication.release, publication]] : [])))
  const kept = (await retainedReleases(root, dataset.slug)).filter(id => id <= release)
  const unread = kept.filter(id => !found.has(id))
  for (let from = 0; from < unread.length; from += AT_ONCE) {
    const records = unread.slice(from, from + AT_ONCE).map(id => readRecord(root, dataset, id, log))
    for (const publication of await Promise.all(records)) if (publication) found.set(publication.release, publication)
  }
  const line: LineageEntry[] = []
  for (let at = kept.length - 1, next: string | null = release; at >= 0 && next !== null; at--) {
    const id: string = kept[at]!
    if (id > next) continue
    const publication = found.get(id)
    line.push(publication ? { release: id, publication } : { release: id })
    next = publication ? publication.parent : id
  }
  return line
}

async function readRecord(root: string, dataset: Dataset, id: string, log: Log): Promise<Publication | undefined> {
  try {
    return { ...(await readSealed(root, dataset.slug, id, PublicationRecord)), dataset }
  } catch (error) {
    log('release damaged', { dataset: dataset.slug, release: id, damage: error instanceof Error ? error.message : String(error) })
    return undefined
  }
}
