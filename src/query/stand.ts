import type { Dataset } from '../../catalog/dataset.ts'
import { type Catalog, served } from '../../catalog/load.ts'
import { Refusal } from '../core/errors.ts'
import type { Release, Releases } from './releases.ts'

/** A dataset and what is served of it at one moment. */
export interface Stand {
  readonly dataset: Dataset
  /** Null while it was never published, or no release passes its check. */
  readonly release: Release | null
}

/** The served release, or null where there is none to serve, for whatever reason. */
export function releaseOf(dataset: Dataset, releases: Releases): Release | null {
  try {
    return releases.served(dataset)
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}

/** Every served dataset with its release, in the catalog's order. */
export const standsOf = (catalog: Catalog, releases: Releases): readonly Stand[] =>
  served(catalog).map(dataset => ({ dataset, release: releaseOf(dataset, releases) }))
