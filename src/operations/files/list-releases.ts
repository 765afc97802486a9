import type { Catalog, Dataset } from '../../../catalog/index.ts'
import type { Gate } from '../../access/index.ts'
import type { Grant } from '../../core/index.ts'
import { type PastRelease, type ReleaseDocument, type Releases, releaseOf } from '../../releases/index.ts'
import { soldDataset } from '../read/sold-dataset.ts'

/** What lists of releases depend on. */
export interface ReleaseDeps {
  readonly catalog: Catalog
  readonly releases: Releases
  readonly gate: Gate
}

/** Which releases are wanted, newest first. */
export interface ReleasesPage {
  readonly limit: number
  /** An id: only releases older than that, which need not be kept itself; all where it is null. */
  readonly before: string | null
}

export interface ReleasesAnswer {
  readonly dataset: Dataset
  /** Id of the served release; null where none is. */
  readonly served: string | null
  /** How many are kept. */
  readonly count: number
  /** Newest first; one whose manifest is damaged is left out. */
  readonly releases: readonly PastRelease[]
  /** What an operator says of releases, by their ids. */
  readonly notes: ReadonlyMap<string, string>
}

/** What a copy of a dataset is made from, beside its files: free of charge, for whoever may read the dataset. */
export interface ReadReleases {
  /** @throws Refusal unknown_dataset, plan_required, overloaded */
  list(caller: Grant, name: string, page: ReleasesPage): Promise<ReleasesAnswer>
  /** @throws Refusal unknown_dataset, plan_required, unknown_id, release_retired, integrity, overloaded */
  document(caller: Grant, name: string, release: string, document: ReleaseDocument): Promise<Buffer>
}

export function createReadReleases({ catalog, releases, gate }: ReleaseDeps): ReadReleases {
  const entitled = (caller: Grant, name: string): Dataset => {
    const dataset = soldDataset(catalog, name)
    gate.checkPlan(caller, dataset)
    return dataset
  }
  return {
    async list(caller, name, { limit, before }) {
      const dataset = entitled(caller, name)
      const ids = await releases.retainedIds(dataset)
      const wanted = before === null ? ids : ids.filter(id => id < before)
      const newest = wanted.toReversed().slice(0, limit)
      const found = await Promise.all(newest.map(id => releases.retained(dataset, id).catch(() => null)))
      return {
        dataset,
        served: releaseOf(dataset, releases)?.id ?? null,
        count: ids.length,
        releases: found.filter(release => release !== null),
        notes: await releases.notes(dataset),
      }
    },
    document: async (caller, name, release, document) => releases.document(entitled(caller, name), release, document),
  }
}
