import type { Dataset, Family } from '../../../catalog/dataset.ts'
import type { Manifest } from '../../../catalog/release.ts'

export const CATEGORIES = [
  'macroeconomics',
  'market_structure',
  'capital_flows',
  'companies_events',
  'financial_statements',
  'monthly_revenue',
] as const satisfies readonly (Family | 'monthly_revenue')[]

/** One publication of one dataset. */
export interface Publication {
  readonly dataset: Dataset
  readonly manifest: Manifest
}

export interface UpdatesQuery {
  /** Only datasets whose data reach that day or later. */
  readonly since: string
  readonly category: string | null
  readonly limit: number
  /** Where the page before ended; null for the first page. */
  readonly cursor: string | null
}

/** Newest day any publication's data reach; the default of `since`. */
export const newestDay = (publications: readonly Publication[]): string | null => publications.map(reaches).sort().at(-1) ?? null

const reaches = ({ manifest }: Publication): string => manifest.changes.date_to ?? manifest.data_as_of

/** Sorts by time of publication and cannot tie: two publications of one dataset have two ids. */
const placeOf = ({ dataset, manifest }: Publication): string => `${manifest.published_at}|${dataset.slug}|${manifest.release}`

/** What `/v2/updates` answers: newest publication first, new rows told from revisions, a cursor while there is more. */
export function updatesView(publications: readonly Publication[], { since, category, limit, cursor }: UpdatesQuery) {
  const from = cursor === null ? null : Buffer.from(cursor, 'base64url').toString('utf8')
  const found = publications
    .filter(publication => reaches(publication) >= since && (category === null || publication.dataset.family === category))
    .sort((a, b) => (placeOf(a) < placeOf(b) ? 1 : -1))
    .filter(publication => from === null || placeOf(publication) < from)
  const page = found.slice(0, limit)
  const more = found.length > limit
  return {
    since,
    category,
    limit,
    data_count: page.length,
    has_more: more,
    next_cursor: more ? Buffer.from(placeOf(page.at(-1)!)).toString('base64url') : null,
    data: page.map(updateOf),
  }
}

function updateOf({ dataset, manifest: { release, parent, published_at, changes } }: Publication) {
  return {
    update_id: `${dataset.id}:${release}`,
    dataset: dataset.id,
    category: dataset.family,
    kind: changes.kind,
    data_date_from: changes.date_from,
    data_date_to: changes.date_to,
    rows_added: changes.rows_added,
    rows_changed: changes.rows_changed,
    rows_removed: changes.rows_removed,
    release_version: release,
    previous_release_version: parent,
    published_at,
  }
}
