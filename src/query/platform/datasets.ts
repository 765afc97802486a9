import { pathOf } from '../../../catalog/dataset.ts'
import { versionOf } from '../../../catalog/schema.ts'
import { taipei } from '../../core/clock.ts'
import type { Closed } from '../calendar.ts'
import { freshnessState } from '../freshness.ts'
import { DEFAULT_LIMIT } from '../params.ts'
import type { Stand } from './stand.ts'

/** Formats a read can be asked for. */
export const FORMATS = ['json'] as const

/** What `/v2/datasets` answers: everything on sale, what it holds and what it costs. */
export function datasetsView(stands: readonly Stand[], now: Date, closed: Closed) {
  const data = stands.map(stand => datasetView(stand, now, closed))
  return { api_version: 'v2', generated_at: taipei(now), data_count: data.length, data }
}

export function datasetView({ dataset, release }: Stand, now: Date, closed: Closed) {
  const statistics = release?.manifest.statistics
  return {
    dataset: dataset.id,
    slug: dataset.slug,
    title: dataset.title,
    title_zh: dataset.titleZh,
    family: dataset.family,
    description: dataset.description,
    grain: dataset.grain,
    status: statusOf({ dataset, release }),
    minimum_plan: dataset.access!.plan,
    credits_per_call: dataset.access!.credits,
    envelope: dataset.envelope.kind.charAt(0),
    formats: FORMATS,
    filters: filtersOf(dataset),
    sort_by: dataset.sortable,
    default_limit: DEFAULT_LIMIT,
    row_count: statistics?.rows ?? 0,
    symbols_count: statistics?.keys ?? 0,
    first_date: statistics?.first_date ?? null,
    last_date: statistics?.last_date ?? null,
    dataset_version: versionOf(dataset),
    release_version: release?.id ?? null,
    release_date: release?.manifest.published_at.slice(0, 10) ?? null,
    data_as_of: release?.manifest.data_as_of ?? null,
    freshness_state: freshnessState({ dataset, release }, now, closed),
    pit_support: dataset.pointInTime,
    known_gaps: marked(dataset.knownGaps, release),
    warnings: marked(dataset.warnings, release),
    links: linksOf(dataset),
  }
}

/** Derived, never typed: building until the first release, then the state the catalog declares, degraded while an older release stands in. */
export const statusOf = ({ dataset, release }: Stand): string => (release ? (release.degraded ? 'degraded' : dataset.status) : 'building')

const marked = (labels: readonly string[], release: Stand['release']): readonly string[] =>
  release?.manifest.synthetic ? [...labels, 'synthetic_sample_data'] : labels

const filtersOf = ({ filters, columns }: Stand['dataset']) =>
  Object.entries(filters).map(([name, { column, op, required }]) => ({
    name,
    column,
    operator: op,
    type: columns[column]!.type,
    required: required === true,
  }))

const linksOf = (dataset: Stand['dataset']) => ({
  read: pathOf(dataset),
  schema: `/v2/datasets/${dataset.slug}/schema`,
  freshness: `/v2/datasets/${dataset.slug}/freshness`,
  coverage: `/v2/coverage/${dataset.slug}`,
  reconciliation: `/v2/data-catalog/reconciliation/${dataset.slug}`,
})
