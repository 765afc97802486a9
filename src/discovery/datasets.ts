import { isDeepStrictEqual } from 'node:util'
import { FORMATS, pathOf, versionOf } from '../../catalog/index.ts'
import { freshnessState } from '../calendar/index.ts'
import { taipei } from '../core/index.ts'
import { DEFAULT_LIMIT } from '../read/index.ts'
import { type DatasetState, gapLabels, statusOf, warningLabels } from '../releases/index.ts'
import type { CatalogState } from './catalog-state.ts'
import { heldOf } from './held.ts'

/** What `/v2/datasets` answers: everything on sale, what it holds and what it costs. Its time of making stays while it says the same. */
export function datasetsView(moment: CatalogState, former: ReturnType<typeof listed> | undefined) {
  const data = moment.datasets.map(state => datasetView(state, moment))
  return former && isDeepStrictEqual(former.data, data) ? former : listed(data, moment.now)
}

const listed = (data: readonly ReturnType<typeof datasetView>[], now: Date) => ({
  api_version: 'v2',
  generated_at: taipei(now),
  data_count: data.length,
  data,
})

function datasetView(state: DatasetState, { now, isClosed }: CatalogState) {
  const { dataset, release } = state
  return {
    dataset: dataset.id,
    slug: dataset.slug,
    title: dataset.title,
    title_zh: dataset.titleZh,
    family: dataset.family,
    description: dataset.description,
    grain: dataset.grain,
    status: statusOf(state),
    minimum_plan: dataset.access!.plan,
    credits_per_call: dataset.access!.credits,
    envelope: dataset.envelope.kind.charAt(0),
    formats: FORMATS,
    filters: filtersOf(state),
    sort_by: dataset.sortable,
    default_limit: DEFAULT_LIMIT,
    ...heldOf(state),
    dataset_version: versionOf(dataset),
    release_version: release?.id ?? null,
    release_date: release?.manifest.published_at.slice(0, 10) ?? null,
    data_as_of: release?.manifest.data_as_of ?? null,
    freshness_state: freshnessState(state, now, isClosed),
    pit_support: dataset.pointInTime,
    known_gaps: gapLabels(state),
    warnings: warningLabels(state),
    links: linksOf(state),
  }
}

const filtersOf = ({ dataset: { filters, columns } }: DatasetState) =>
  Object.entries(filters).map(([name, { column, op, required }]) => ({
    name,
    column,
    operator: op,
    type: columns[column]!.type,
    required: required === true,
  }))

const linksOf = ({ dataset }: DatasetState) => ({
  read: pathOf(dataset),
  schema: `/v2/datasets/${dataset.slug}/schema`,
  freshness: `/v2/datasets/${dataset.slug}/freshness`,
  coverage: `/v2/coverage/${dataset.slug}`,
  reconciliation: `/v2/data-catalog/reconciliation/${dataset.slug}`,
})
