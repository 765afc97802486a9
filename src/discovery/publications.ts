import { type Catalog, type Dataset, served } from '../../catalog/index.ts'
import type { Log } from '../core/index.ts'
import { createLineageReader, type Publication, type Releases, releaseOf } from '../releases/index.ts'

export interface Publications {
  /** Newest first, in an order that no two share: by release, then by slug. */
  all(): readonly Publication[]
  /** Takes up what is served now; reads only manifests it has not read. */
  refresh(): Promise<void>
}

export interface PublicationsDeps {
  readonly root: string
  readonly catalog: Catalog
  readonly releases: Releases
  readonly log: Log
}

/**
 * Every publication that led to what is served: the served release, its parent, and so on while they are kept. A release that was
 * withdrawn, or never came to be served, is none; nor are the samples that real rows took the place of. One whose manifest cannot be
 * read is passed over.
 */
export function createPublications({ root, catalog, releases, log }: PublicationsDeps): Publications {
  const lines = createLineageReader(root, log)
  const known = new Map<string, { readonly release: string; readonly line: readonly Publication[] }>()
  let sorted: readonly Publication[] = []
  const take = async (dataset: Dataset): Promise<boolean> => {
    const release = releaseOf(dataset, releases)?.id ?? null
    if (release === (known.get(dataset.slug)?.release ?? null)) return false
    if (release === null) known.delete(dataset.slug)
    else known.set(dataset.slug, { release, line: (await lines.of(dataset, release)).flatMap(({ publication }) => publication ?? []) })
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
