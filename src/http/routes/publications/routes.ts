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
  summary: 'Publications, newest first',
  summaryZh: '資料更新動態',
  description:
    'Lists publications for incremental downloads, one entry per publication. `added`, `changed` and `removed` contain the days to fetch again. `previous_release_version` is the preceding release of the dataset. Read older entries until you reach the release of your copy. `since` compares days of data, not publication times. A newly published quarter can have data older than `since`, and is then omitted. `omitted_count` is the number of such entries. Send `published_since` to select by publication time.',
  group: 'catalog',
  caller: 'public',
  query: z.object({
    since: day({
      doc: 'Returns publications with data on this day or later. The day is compared with the later of `data_as_of` and `data_date_to`. Default: the newest data day of each category, or no limit if `published_since` or `dataset` is sent.',
      example: '2026-06-30',
    }),
    published_since: instant({
      doc: 'Returns publications at or after this time, whatever the days of their data. Accepts a day or an RFC 3339 timestamp. A time without an offset is Taipei time.',
      example: '2026-06-30T18:00:00+08:00',
    }),
    category: choice(UPDATE_CATEGORIES, {
      doc: 'Category whose publications to return: a family of datasets, or `monthly_revenue`, which is also part of the family `financial_statements`.',
      example: 'monthly_revenue',
    }),
    dataset: text(100, {
      doc: 'Slug or id of the dataset whose publications to return, whatever the days of their data.',
      example: 'institutional-positioning',
    }),
    limit: integer([1, 1_000], 200, { doc: 'Maximum number of entries per page.', example: 50 }),
    cursor: text(8_192, {
      doc: 'Cursor: `next_cursor` of the previous page. Returns the next page. The cursor includes `since`, `published_since`, `category` and `dataset`, so these parameters can be omitted or must be the same.',
    }),
  }),
  answer: Updates,
  refusals: ['invalid_cursor', 'invalid_parameter', 'unknown_dataset'],
  example: { query: { since: '2026-06-01', limit: '50' } },
} as const satisfies Endpoint

const ALL = {
  summary: 'Reconciliation of all datasets with their sources',
  summaryZh: '所有資料集的核對結果',
  description:
    'Returns one badge per dataset. A badge shows whether the published rows agree with source files, published totals and other publications. The rows are compared at publication.',
  group: 'catalog',
  caller: 'public',
  answer: Reconciliations,
  example: {},
} as const satisfies Endpoint

const ONE = {
  summary: 'Reconciliation of one dataset with its sources',
  summaryZh: '單一資料集的核對結果',
  description:
    'Returns the badge of one dataset, which is the worst result of all comparisons with other sources. `methods` lists each comparison with its counts.',
  group: 'catalog',
  caller: 'public',
  path: z.object({ dataset: z.string().meta({ description: 'Slug or id of a dataset.' }) }),
  answer: Reconciliation,
  refusals: ['unknown_dataset'],
  example: { path: { dataset: 'institutional-positioning' } },
} as const satisfies Endpoint

/** Requests read no files, because the data is in memory. */
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
