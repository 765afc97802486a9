import { type Catalog, type Dataset, served } from '../../catalog/index.ts'
import { createSerial, type Log } from '../core/index.ts'
import {
  type Changes,
  createLineageReader,
  createWithdrawalReader,
  type Publication,
  type Releases,
  releaseOf,
  type Withdrawal,
} from '../releases/index.ts'

/** A publication or a withdrawal of releases. */
export interface FeedEntry {
  /** Ids sort by time. The id of a publication is the release id. */
  readonly id: string
  readonly dataset: Dataset
  readonly kind: Changes['kind'] | 'withdrawal'
  readonly release: string
  readonly previous: string | null
  /** Ids of withdrawn releases, oldest first. Empty for a publication. */
  readonly withdrawn: readonly string[]
  /** RFC 3339 in Taipei. */
  readonly changedAt: string
  readonly data_as_of: string
  /** For a withdrawal, the later of the newest days before and after the withdrawal. */
  readonly data_until: string
  readonly synthetic: boolean
  readonly changes: Omit<Changes, 'kind'>
}

export interface Publications {
  /** Newest first. Entries with the same id are sorted by slug. */
  all(): readonly FeedEntry[]
  /** Reads new manifests. Never rejects: failures are logged. */
  refresh(): Promise<void>
}

export interface PublicationsDeps {
  /** Has one folder of releases per dataset. */
  readonly root: string
  readonly catalog: Catalog
  readonly releases: Releases
  readonly log: Log
}

/**
 * Lists the publications and withdrawals that led to the served releases. Omits withdrawn and
 * damaged releases, and samples that real rows replaced.
 */
export function createPublications({ root, catalog, releases, log }: PublicationsDeps): Publications {
  const lineage = createLineageReader(root, log)
  const withdrawals = createWithdrawalReader(root, log)
  const feeds = new Map<string, { readonly release: string; readonly entries: readonly FeedEntry[] }>()
  let sorted: readonly FeedEntry[] = []
  const entriesOf = async (dataset: Dataset, release: string): Promise<readonly FeedEntry[]> => [
    ...(await lineage.entriesOf(dataset, release)).flatMap(({ publication }) => (publication ? publicationEntry(publication) : [])),
    ...(await withdrawals(dataset, release)).map(withdrawal => withdrawalEntry(dataset, withdrawal)),
  ]
  const update = async (dataset: Dataset): Promise<boolean> => {
    const release = releaseOf(dataset, releases)?.id ?? null
    if (release === (feeds.get(dataset.slug)?.release ?? null)) return false
    if (release === null) feeds.delete(dataset.slug)
    else feeds.set(dataset.slug, { release, entries: await entriesOf(dataset, release) })
    return true
  }
  const updateAll = async (): Promise<void> => {
    const changed: boolean[] = []
    for (const dataset of served(catalog)) changed.push(await update(dataset))
    if (changed.includes(true)) sorted = [...feeds.values()].flatMap(({ entries }) => entries).sort(newestFirst)
  }
  const serialize = createSerial()
  return {
    all: () => sorted,
    refresh: () => serialize(updateAll).catch(error => log('failed', { during: 'reading publications', error: String(error) })),
  }
}

const publicationEntry = ({ dataset, release, parent, published_at, data_as_of, synthetic, changes }: Publication): FeedEntry => ({
  id: release,
  dataset,
  kind: changes.kind,
  release,
  previous: parent,
  withdrawn: [],
  changedAt: published_at,
  data_as_of,
  data_until: data_as_of,
  synthetic,
  changes,
})

const withdrawalEntry = (dataset: Dataset, { former, served_at, ...withdrawal }: Withdrawal): FeedEntry => ({
  ...withdrawal,
  dataset,
  kind: 'withdrawal',
  previous: former,
  changedAt: served_at,
})

const newestFirst = (a: FeedEntry, b: FeedEntry): number => (positionOf(a) < positionOf(b) ? 1 : -1)

/** Sort key of an entry, unique over all datasets. */
export const positionOf = ({ id, dataset }: Pick<FeedEntry, 'id' | 'dataset'>): string => `${id} ${dataset.slug}`
