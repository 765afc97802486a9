import type { Dataset } from '../../catalog/dataset.ts'
import { type Catalog, served } from '../../catalog/load.ts'
import { PublicationRecord } from '../../catalog/release.ts'
import type { Log } from '../core/log.ts'
import { keptReleases } from './fallback.ts'
import { readSealed } from './release.ts'
import type { Releases } from './releases.ts'
import { releaseOf } from './stand.ts'

/** One publication of one served dataset, small enough that thousands are kept in memory. */
export interface Publication extends Omit<PublicationRecord, 'dataset'> {
  readonly dataset: Dataset
}

export interface Publications {
  /** Newest first, in an order that no two share: by release, then by slug. */
  all(): readonly Publication[]
  /** Takes up what is served now; reads only manifests it has not read. */
  refresh(): Promise<void>
}

export interface PublicationsOptions {
  readonly root: string
  readonly catalog: Catalog
  readonly releases: Releases
  readonly log: Log
}

/** Manifests read at once: enough to keep the disk busy, few enough that their texts do not pile up in memory. */
const AT_ONCE = 32

/**
 * Every publication that led to what is served: the served release, its parent, and so on while they are kept. A release that was
 * withdrawn, or never came to be served, is none; nor are the samples that real rows took the place of.
 */
export function openPublications({ root, catalog, releases, log }: PublicationsOptions): Publications {
  const known = new Map<string, { readonly release: string; readonly line: readonly Publication[] }>()
  let sorted: readonly Publication[] = []
  const take = async (dataset: Dataset): Promise<boolean> => {
    const release = releaseOf(dataset, releases)?.id ?? null
    if (release === (known.get(dataset.slug)?.release ?? null)) return false
    if (release === null) known.delete(dataset.slug)
    else known.set(dataset.slug, { release, line: await lineOf(root, dataset, release, known.get(dataset.slug)?.line ?? [], log) })
    return true
  }
  const look = async (): Promise<void> => {
    const news: boolean[] = []
    for (const dataset of served(catalog)) news.push(await take(dataset))
    if (news.includes(true)) sorted = [...known.values()].flatMap(({ line }) => line).sort(newestFirst)
  }
  let running: Promise<void> = Promise.resolve()
  const refresh = (): Promise<void> => {
    running = running.then(look).catch(error => log('failed', { during: 'reading publications', error: String(error) }))
    return running
  }
  return { all: () => sorted, refresh }
}

const newestFirst = (a: Publication, b: Publication): number => (placeOf(a) < placeOf(b) ? 1 : -1)

/** Where a publication stands among all: releases are named by their millisecond, and slugs tell apart those of one. */
export const placeOf = ({ release, dataset }: Pick<Publication, 'release' | 'dataset'>): string => `${release} ${dataset.slug}`

/** The served release and its ancestors. A manifest that cannot be read is passed over, and the line goes on with the next older one. */
async function lineOf(
  root: string,
  dataset: Dataset,
  release: string,
  before: readonly Publication[],
  log: Log,
): Promise<readonly Publication[]> {
  const found = new Map(before.map(publication => [publication.release, publication]))
  const kept = (await keptReleases(root, dataset.slug)).filter(id => id <= release)
  const unread = kept.filter(id => !found.has(id))
  for (let from = 0; from < unread.length; from += AT_ONCE) {
    const records = unread.slice(from, from + AT_ONCE).map(id => readRecord(root, dataset, id, log))
    for (const publication of await Promise.all(records)) if (publication) found.set(publication.release, publication)
  }
  const line: Publication[] = []
  for (let at = kept.length - 1, next: string | null = release; at >= 0 && next !== null; at--) {
    const id: string = kept[at]!
    if (id > next) continue
    const publication = found.get(id)
    if (publication) line.push(publication)
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
