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

/** Something that changed what is served of a dataset: a publication, or a kept release that took the place of the served one. */
export interface FeedEntry {
  /** Sorts by age. That of a publication is its release. */
  readonly id: string
  readonly dataset: Dataset
  readonly kind: Changes['kind'] | 'withdrawal'
  /** The release served from then on, and the one before it. */
  readonly release: string
  readonly previous: string | null
  /** Releases that a withdrawal took away, oldest first; none for a publication. */
  readonly withdrawn: readonly string[]
  /** RFC 3339 in Taipei. */
  readonly at: string
  readonly data_as_of: string
  /** Newest day of data touched or held: of a withdrawal, also what the dataset held before it. */
  readonly data_until: string
  readonly synthetic: boolean
  readonly changes: Omit<Changes, 'kind'>
}

/** What stands behind the updates feed. */
export interface Publications {
  /** Newest first, in a total order: by id, then by slug. */
  all(): readonly FeedEntry[]
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
 * Lists every publication that led to what is served: the served release, its parent, and so on while they are retained; and every
 * withdrawal on the way there. Releases that were withdrawn or never served are left out, and so are samples that real rows replaced, and
 * releases whose manifest cannot be read.
 */
export function createPublications({ root, catalog, releases, log }: PublicationsDeps): Publications {
  const lineage = createLineageReader(root, log)
  const withdrawals = createWithdrawalReader(root, log)
  const known = new Map<string, { readonly release: string; readonly entries: readonly FeedEntry[] }>()
  let sorted: readonly FeedEntry[] = []
  const entriesOf = async (dataset: Dataset, release: string): Promise<readonly FeedEntry[]> => [
    ...(await lineage.entriesOf(dataset, release)).flatMap(({ publication }) => (publication ? published(publication) : [])),
    ...(await withdrawals(dataset, release)).map(withdrawal => servedAgain(dataset, withdrawal)),
  ]
  const update = async (dataset: Dataset): Promise<boolean> => {
    const release = releaseOf(dataset, releases)?.id ?? null
    if (release === (known.get(dataset.slug)?.release ?? null)) return false
    if (release === null) known.delete(dataset.slug)
    else known.set(dataset.slug, { release, entries: await entriesOf(dataset, release) })
    return true
  }
  const updateAll = async (): Promise<void> => {
    const changed: boolean[] = []
    for (const dataset of served(catalog)) changed.push(await update(dataset))
    if (changed.includes(true)) sorted = [...known.values()].flatMap(({ entries }) => entries).sort(newestFirst)
  }
  const inSerial = createSerial()
  return {
    all: () => sorted,
    refresh: () => inSerial(updateAll).catch(error => log('failed', { during: 'reading publications', error: String(error) })),
  }
}

const published = ({ dataset, release, parent, published_at, data_as_of, synthetic, changes }: Publication): FeedEntry => ({
  id: release,
  dataset,
  kind: changes.kind,
  release,
  previous: parent,
  withdrawn: [],
  at: published_at,
  data_as_of,
  data_until: data_as_of,
  synthetic,
  changes,
})

const servedAgain = (dataset: Dataset, { former, served_at, ...withdrawal }: Withdrawal): FeedEntry => ({
  ...withdrawal,
  dataset,
  kind: 'withdrawal',
  previous: former,
  at: served_at,
})

const newestFirst = (a: FeedEntry, b: FeedEntry): number => (placeOf(a) < placeOf(b) ? 1 : -1)

/** Sort position of an entry: ids are made of a millisecond, no two of one dataset, and the slug breaks ties. */
export const placeOf = ({ id, dataset }: Pick<FeedEntry, 'id' | 'dataset'>): string => `${id} ${dataset.slug}`
