import { type Catalog, type Dataset, served } from '../../catalog/index.ts'
import { createSerial, type Log } from '../core/index.ts'
import { createLineageReader, type Publication, type Releases, releaseOf } from '../releases/index.ts'

/** The publications behind the updates feed. */
export interface Publications {
  /** Newest first, in a total order: by release, then by slug. */
  all(): readonly Publication[]
  /** Updates the list to what is served now; reads only manifests it has not read. Never rejects: failures are logged. */
  refresh(): Promise<void>
}

/** `root` holds the releases, one folder a dataset. */
export interface PublicationsDeps {
  readonly root: string
  readonly catalog: Catalog
  readonly releases: Releases
  readonly log: Log
}

/**
 * Lists every publication that led to what is served: the served release, its parent, and so on while they are retained. Releases that
 * were withdrawn or never served are left out, and so are samples that real rows replaced, and releases whose manifest cannot be read.
 */
export function createPublications({ root, catalog, releases, log }: PublicationsDeps): Publications {
  const lineage = createLineageReader(root, log)
  const known = new Map<string, { readonly release: string; readonly publications: readonly Publication[] }>()
  let sorted: readonly Publication[] = []
  const update = async (dataset: Dataset): Promise<boolean> => {
    const release = releaseOf(dataset, releases)?.id ?? null
    if (release === (known.get(dataset.slug)?.release ?? null)) return false
    if (release === null) known.delete(dataset.slug)
    else
      known.set(dataset.slug, {
        release,
        publications: (await lineage.of(dataset, release)).flatMap(({ publication }) => publication ?? []),
      })
    return true
  }
  const updateAll = async (): Promise<void> => {
    const changed: boolean[] = []
    for (const dataset of served(catalog)) changed.push(await update(dataset))
    if (changed.includes(true)) sorted = [...known.values()].flatMap(({ publications }) => publications).sort(newestFirst)
  }
  const inSerial = createSerial()
  return {
    all: () => sorted,
    refresh: () => inSerial(updateAll).catch(error => log('failed', { during: 'reading publications', error: String(error) })),
  }
}

const newestFirst = (a: Publication, b: Publication): number => (placeOf(a) < placeOf(b) ? 1 : -1)

/** Sort position of a publication: releases are named by their millisecond, and the slug breaks ties. */
export const placeOf = ({ release, dataset }: Pick<Publication, 'release' | 'dataset'>): string => `${release} ${dataset.slug}`
