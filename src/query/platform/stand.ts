import type { Dataset } from '../../../catalog/dataset.ts'
import type { Catalog } from '../../../catalog/load.ts'
import { served } from '../../../catalog/load.ts'
import { Refusal } from '../../core/errors.ts'
import type { Release, Releases } from '../releases.ts'

/** A dataset and what is served of it at one moment. */
export interface Stand {
  readonly dataset: Dataset
  /** Null while it was never published, or no release passes its check. */
  readonly release: Release | null
}

/** Every dataset that is sold, in the catalog's order, with its served release. */
export const standOf = (catalog: Catalog, releases: Releases): readonly Stand[] =>
  served(catalog).map(dataset => ({ dataset, release: releaseOf(dataset, releases) }))

export function releaseOf(dataset: Dataset, releases: Releases): Release | null {
  try {
    return releases.served(dataset)
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}

/** A served dataset by slug or underscore id; undefined for another word. */
export const datasetNamed = (catalog: Catalog, name: string): Dataset | undefined =>
  served(catalog).find(({ slug, id }) => slug === name || id === name)
