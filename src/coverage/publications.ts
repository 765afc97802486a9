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

/**
 * A change of the served release: a publication, or a withdrawal, which serves an earlier release
 * again.
 */
export interface FeedEntry {
  /** Id that sorts by time. For a publication, the id of its release. */
  readonly id: string
  readonly dataset: Dataset
  readonly kind: Changes['kind'] | 'withdrawal'
  /** The newly served release, and the previous one. */
  readonly release: string
  readonly previous: string | null
  /** Releases removed by a withdrawal, oldest first; empty for a publication. */
  readonly withdrawn: readonly string[]
  /** RFC 3339 in Taipei. */
  readonly changedAt: string
  readonly data_as_of: string
  /**
   * Newest day of data. For a withdrawal, the newest day of the release before or after it,
   * whichever is later.
   */
  readonly data_until: string
  readonly synthetic: boolean
  readonly changes: Omit<Changes, 'kind'>
}

/** Entries of the updates feed. */
export interface Publications {
  /** Newest first. The order is total: by id, then by slug. */
  all(): readonly FeedEntry[]
  /**
   * Updates the list for the served releases. Reads only new manifests. Never rejects: failures are
   * logged.
   */
  refresh(): Promise<void>
}

export interface PublicationsDeps {
  /** Folder of releases, with one folder per dataset. */
  readonly root: string
  readonly catalog: Catalog
  readonly releases: Releases
  readonly log: Log
}

/**
 * Lists the publications in the lineage of each served release, and the withdrawals in its history.
 * Omits releases that were withdrawn or never served, samples that real rows replaced, and releases
 * with a damaged manifest.
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

/** Sort position of an entry: its id, which is unique per dataset, then the slug. */
export const positionOf = ({ id, dataset }: Pick<FeedEntry, 'id' | 'dataset'>): string => `${id} ${dataset.slug}`
