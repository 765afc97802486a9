import type { Catalog, Dataset } from '../../../catalog/index.ts'
import type { Gate } from '../../access/index.ts'
import type { Grant } from '../../core/index.ts'
import { type CommittedVersion, type LogIdentity, logIdentity, type TableVersions } from '../../delta/index.ts'
import { type PastRelease, type ReleaseDocument, type Releases, releaseOf } from '../../releases/index.ts'
import { requireDataset } from '../read/require-dataset.ts'

export interface ReleaseDeps {
  readonly catalog: Catalog
  readonly releases: Releases
  readonly gate: Gate
  readonly tableVersions: TableVersions
}

export interface TableIdentity extends LogIdentity {
  /** Release in the newest version of the table. */
  readonly release: string
}

export interface ReleasesPage {
  readonly limit: number
  /** Release id. Only smaller ids are listed. Null lists all. */
  readonly before: string | null
}

export interface ReleasesAnswer {
  readonly dataset: Dataset
  /** Null before the first publication. */
  readonly served: string | null
  /** Newest version of the Delta table. Null if the table's log is damaged. */
  readonly table: TableIdentity | null
  readonly count: number
  /** Newest first. Excludes releases with a damaged manifest. */
  readonly releases: readonly PastRelease[]
  readonly notes: ReadonlyMap<string, string>
}

export interface TableAnswer {
  readonly dataset: Dataset
  readonly versions: readonly CommittedVersion[]
}

/** Metadata for copies of a dataset. Free for callers who may read the dataset. */
export interface ReadReleases {
  /** @throws Refusal unknown_dataset, plan_required, overloaded */
  list(caller: Grant, name: string, page: ReleasesPage): Promise<ReleasesAnswer>
  /**
   * Returns a metadata file.
   * @throws Refusal unknown_dataset, plan_required, unknown_id, release_retired, integrity,
   * overloaded
   */
  document(caller: Grant, name: string, release: string, document: ReleaseDocument): Promise<Buffer>
  /**
   * Returns versions of the Delta table, beginning with `from`.
   * @throws Refusal unknown_dataset, plan_required
   */
  table(caller: Grant, name: string, page: { readonly from: number; readonly limit: number }): Promise<TableAnswer>
}

export function createReadReleases({ catalog, releases, gate, tableVersions }: ReleaseDeps): ReadReleases {
  const requireEntitled = (caller: Grant, name: string): Dataset => {
    const dataset = requireDataset(catalog, name)
    gate.checkPlan(caller, dataset)
    return dataset
  }
  const tableOf = async (dataset: Dataset, served: string | null): Promise<TableIdentity | null> => {
    const versions = await tableVersions.versionsOf(dataset)
    const servedIndex = versions.findLastIndex(({ release }) => release === served)
    const visible = servedIndex === -1 ? versions : versions.slice(0, servedIndex + 1)
    const identity = logIdentity(visible)
    return identity && { ...identity, release: visible.at(-1)!.release }
  }
  return {
    async list(caller, name, { limit, before }) {
      const dataset = requireEntitled(caller, name)
      const ids = await releases.retainedIds(dataset)
      const older = before === null ? ids : ids.filter(id => id < before)
      const newest = older.toReversed().slice(0, limit)
      const releasesOrNull = await Promise.all(newest.map(id => releases.retained(dataset, id).catch(() => null)))
      const served = releaseOf(dataset, releases)?.id ?? null
      return {
        dataset,
        served,
        table: await tableOf(dataset, served),
        count: ids.length,
        releases: releasesOrNull.filter(release => release !== null),
        notes: await releases.notes(dataset),
      }
    },
    async table(caller, name, { from, limit }) {
      const dataset = requireEntitled(caller, name)
      return { dataset, versions: await tableVersions.commitsOf(dataset, from, limit) }
    },
    document: async (caller, name, release, document) => releases.document(requireEntitled(caller, name), release, document),
  }
}
