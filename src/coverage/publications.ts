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
 * A change of the served release. Either a release was published, or releases were withdrawn and an
 * earlier release is served again.
 */
export interface FeedEntry {
  /** Id that sorts by time. For a publication, this is the release id. */
  readonly id: string
  readonly dataset: Dataset
  readonly kind: Changes['kind'] | 'withdrawal'
  readonly release: string
  readonly previous: string | null
  /** Ids of the withdrawn releases, oldest first. Empty for a publication. */
  readonly withdrawn: readonly string[]
  /** RFC 3339 in Taipei time. */
  readonly changedAt: string
  readonly data_as_of: string
  /**
   * Newest day of data. For a withdrawal, this is the later one of the newest days before and after
   * the withdrawal.
   */
  readonly data_until: string
  readonly synthetic: boolean
  readonly changes: Omit<Changes, 'kind'>
}

export interface Publications {
  /** Returns all entries, newest first. Entries with the same id are sorted by slug. */
  all(): readonly FeedEntry[]
  /**
   * Updates the list after a served release changed. Reads only the manifests of new releases. The
   * promise never rejects: failures are logged.
   */
  refresh(): Promise<void>
}

export interface PublicationsDeps {
  /** Folder that contains one folder of releases per dataset. */
  readonly root: string
  readonly catalog: Catalog
  readonly releases: Releases
  readonly log: Log
}

/**
 * Creates the list of all publications and withdrawals that led to the served releases. The list
 * omits releases that were withdrawn or never served, samples that were replaced by real rows, and
 * releases with a damaged manifest.
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

/**
 * Returns a text by which entries are sorted. An id alone is unique only within a dataset, so the
 * slug follows the id.
 */
export const positionOf = ({ id, dataset }: Pick<FeedEntry, 'id' | 'dataset'>): string => `${id} ${dataset.slug}`
