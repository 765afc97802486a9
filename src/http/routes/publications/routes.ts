import { z } from 'zod'
import type { Catalog } from '../../../../catalog/index.ts'
import { datasetNamed, type Publications, reconciliationView, UPDATE_CATEGORIES, updatesView } from '../../../coverage/index.ts'
import { type Releases, releaseOf, statesOf } from '../../../releases/index.ts'
import { answered, choice, day, type Endpoint, instant, integer, type Route, route, type SentQuery, text } from '../../kernel/index.ts'
import { Reconciliation, Reconciliations, Updates } from './schemas.ts'

export interface PublicationDeps {
  readonly catalog: Catalog
  readonly releases: Releases
  readonly publications: Publications
}

const UPDATES = {
  summary: 'What was published, newest first',
  summaryZh: '資料更新動態',
  description:
    'One entry a publication, for downloads that follow the data: added, changed and removed each tell the days to fetch again. Per dataset, previous_release_version names the release before; go back through the feed until you meet the one you have. since alone compares days of data, so a quarter published today is older than yesterday’s trades: send published_since to follow by the time of publication, and see omitted_count.',
  group: 'catalog',
  caller: 'public',
  query: z.object({
    since: day({
      doc: 'Publications of datasets whose data reached that day or a later one. When absent, the newest day of data of each category, or any day where published_since or dataset is sent.',
      example: '2026-06-30',
    }),
    published_since: instant({
      doc: 'Publications made at that time or later, whatever days they are of: an RFC 3339 timestamp, or a day. In Taipei where no offset is written.',
      example: '2026-06-30T18:00:00+08:00',
    }),
    category: choice(UPDATE_CATEGORIES, {
      doc: 'One family of datasets, or monthly_revenue, which is of the family financial_statements too.',
      example: 'monthly_revenue',
    }),
    dataset: text(100, {
      doc: 'Publications of one dataset, by slug or id, of whatever days they are.',
      example: 'institutional-positioning',
    }),
    limit: integer([1, 1_000], 200, { doc: 'Most entries on the page.', example: 50 }),
    cursor: text(8_192, {
      doc: 'next_cursor of the page before. It carries since, published_since, category and dataset; sent again, they must be the same.',
    }),
  }),
  answer: Updates,
  refusals: ['invalid_cursor', 'invalid_parameter', 'unknown_dataset'],
  example: { query: { since: '2026-06-01', limit: '50' } },
} as const satisfies Endpoint

const ALL = {
  summary: 'How every dataset compares with its sources',
  summaryZh: '所有資料集的核對結果',
  description:
    'One badge a dataset, measured when its release was published: rows against source files, printed totals and other publications.',
  group: 'catalog',
  caller: 'public',
  answer: Reconciliations,
  example: {},
} as const satisfies Endpoint

const ONE = {
  summary: 'How one dataset compares with its sources',
  summaryZh: '單一資料集的核對結果',
  description: 'The badge is that of the worst comparison; `methods` lists each with its own counts.',
  group: 'catalog',
  caller: 'public',
  path: z.object({ dataset: z.string().meta({ description: 'Slug or id of a dataset.' }) }),
  answer: Reconciliation,
  refusals: ['unknown_dataset'],
  example: { path: { dataset: 'institutional-positioning' } },
} as const satisfies Endpoint

/** What was published, and what publications measured: kept in memory, so that a request reads no file. */
export function publicationRoutes({ catalog, releases, publications }: PublicationDeps): readonly Route<'public'>[] {
  return [
    route('GET /v2/updates', UPDATES, ({ query, sent }) => {
      const dataset = query.dataset === null ? null : datasetNamed(catalog, query.dataset).slug
      const view = updatesView(publications.all(), catalog, { ...query, dataset })
      return answered(view, { headers: { link: linkTo(view.next_cursor, sent) } })
    }),
    route('GET /v2/data-catalog/reconciliation', ALL, () => {
      const data = statesOf(catalog, releases).map(state => reconciliationView(state, catalog, releases))
      return { data_count: data.length, data }
    }),
    route('GET /v2/data-catalog/reconciliation/:dataset', ONE, ({ params }) => {
      const dataset = datasetNamed(catalog, params.dataset)
      return reconciliationView({ dataset, release: releaseOf(dataset, releases) }, catalog, releases)
    }),
  ]
}

function linkTo(cursor: string | null, sent: SentQuery): string | undefined {
  if (cursor === null) return undefined
  return `</v2/updates?${new URLSearchParams({ ...(sent as Readonly<Record<string, string>>), cursor })}>; rel="next"`
}
