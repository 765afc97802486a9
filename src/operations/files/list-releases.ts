import type { Catalog, Dataset } from '../../../catalog/index.ts'
import type { Gate } from '../../access/index.ts'
import type { Grant } from '../../core/index.ts'
import { type PastRelease, type ReleaseDocument, type Releases, releaseOf } from '../../releases/index.ts'
import { requireDataset } from '../read/require-dataset.ts'

/** Dependencies of release lists. */
export interface ReleaseDeps {
  readonly catalog: Catalog
  readonly releases: Releases
  readonly gate: Gate
}

/** A page of releases, newest first. */
export interface ReleasesPage {
  readonly limit: number
  /** Only releases with a smaller id; the id need not exist. Null for all. */
  readonly before: string | null
}

export interface ReleasesAnswer {
  readonly dataset: Dataset
  /** Id of the served release; null if there is none. */
  readonly served: string | null
  /** Number of stored releases. */
  readonly count: number
  /** Newest first, without releases whose manifest is damaged. */
  readonly releases: readonly PastRelease[]
  /** The operator's notes by release id. */
  readonly notes: ReadonlyMap<string, string>
}

/** Metadata for copies of a dataset. Free for callers who may read the dataset. */
export interface ReadReleases {
  /** @throws Refusal unknown_dataset, plan_required, overloaded */
  list(caller: Grant, name: string, page: ReleasesPage): Promise<ReleasesAnswer>
  /**
   * @throws Refusal unknown_dataset, plan_required, unknown_id, release_retired, integrity,
   * overloaded
   */
  document(caller: Grant, name: string, release: string, document: ReleaseDocument): Promise<Buffer>
}

export function createReadReleases({ catalog, releases, gate }: ReleaseDeps): ReadReleases {
  const requireEntitled = (caller: Grant, name: string): Dataset => {
    const dataset = requireDataset(catalog, name)
    gate.checkPlan(caller, dataset)
    return dataset
  }
  return {
    async list(caller, name, { limit, before }) {
      const dataset = requireEntitled(caller, name)
      const ids = await releases.retainedIds(dataset)
      const older = before === null ? ids : ids.filter(id => id < before)
      const newest = older.toReversed().slice(0, limit)
      const releasesOrNull = await Promise.all(newest.map(id => releases.retained(dataset, id).catch(() => null)))
      return {
        dataset,
        served: releaseOf(dataset, releases)?.id ?? null,
        count: ids.length,
        releases: releasesOrNull.filter(release => release !== null),
        notes: await releases.notes(dataset),
      }
    },
    document: async (caller, name, release, document) => releases.document(requireEntitled(caller, name), release, document),
  }
}
