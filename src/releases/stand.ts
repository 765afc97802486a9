import { type Catalog, type Dataset, served } from '../../catalog/index.ts'
import { Refusal } from '../core/index.ts'
import type { Release } from './release.ts'
import type { Releases } from './releases.ts'

/** A dataset and what is served of it at one moment. */
export interface Stand {
  readonly dataset: Dataset
  /** Null while it was never published, or no release passes its check. */
  readonly release: Release | null
  /** It was published, but no release passes its check. */
  readonly lost?: true
}

/** The served release, or null where there is none to serve, for whatever reason. */
export const releaseOf = (dataset: Dataset, releases: Releases): Release | null => standOf(dataset, releases).release

/** A dataset with what is served of it now. */
function standOf(dataset: Dataset, releases: Releases): Stand {
  try {
    return { dataset, release: releases.served(dataset) }
  } catch (error) {
    if (error instanceof Refusal) return { dataset, release: null, lost: true }
    throw error
  }
}

/** Every served dataset with its release, in the catalog's order. */
export const standsOf = (catalog: Catalog, releases: Releases): readonly Stand[] =>
  served(catalog).map(dataset => standOf(dataset, releases))
