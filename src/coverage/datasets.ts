import { isDeepStrictEqual } from 'node:util'
import {
  asOfWords,
  type Catalog,
  type Dataset,
  described,
  FORMATS,
  isDailySeries,
  pathOf,
  pointInTimeOf,
  served,
  versionOf,
} from '../../catalog/index.ts'
import { freshnessState, publicationTimes } from '../calendar/index.ts'
import { nearest, Refusal, taipei } from '../core/index.ts'
import { DEFAULT_LIMIT } from '../read/index.ts'
import { type DatasetState, gapLabels, gapNotes, statusOf, warningLabels } from '../releases/index.ts'
import type { CatalogState } from './catalog-state.ts'
import { extentOf } from './coverage.ts'

/** Body of `/v2/datasets`. Returns the previous object if no entry changed. */
export function datasetsView(state: CatalogState, former: ReturnType<typeof listOf> | undefined) {
  const data = state.datasets.map(dataset => datasetView(dataset, state))
  return former && isDeepStrictEqual(former.data, data) ? former : listOf(data, state.now)
}

const listOf = (data: readonly ReturnType<typeof datasetView>[], now: Date) => ({
  api_version: 'v2' as const,
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
    description_zh: dataset.descriptionZh,
    grain: dataset.grain,
    status: statusOf(state),
    minimum_plan: dataset.access!.plan,
    credits_per_call: dataset.access!.credits,
    envelope: dataset.envelope.kind.charAt(0) as 'A' | 'B' | 'C' | 'D',
    formats: FORMATS,
    filters: filtersOf(state),
    sort_by: dataset.sortable,
    default_limit: DEFAULT_LIMIT,
    ...extentOf(state),
    dataset_version: versionOf(dataset),
    release_version: release?.id ?? null,
    release_date: release?.manifest.published_at.slice(0, 10) ?? null,
    data_as_of: release?.manifest.data_as_of ?? null,
    freshness_state: freshnessState(state, now, isClosed),
    ...publicationTimes(state, now, isClosed),
    pit_support: pointInTimeOf(dataset),
    as_of: asOfOf(dataset),
    source: sourceOf(dataset),
    known_gaps: gapLabels(state),
    known_gap_notes: gapNotes(state),
    warnings: warningLabels(state),
    links: linksOf(state),
  }
}

export function asOfOf(dataset: Dataset) {
  const { en, zh } = asOfWords(dataset)
  return { known_at: dataset.knownAt ?? null, description: en, description_zh: zh }
}

const sourceOf = ({ lineage: { attribution, attributionZh, url } }: Dataset) => ({ attribution, attribution_zh: attributionZh, url })

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
  ...(isDailySeries(dataset) ? { cross_section: `${pathOf(dataset)}/cross-section` } : {}),
  profile: `/v2/datasets/${dataset.slug}/profile`,
  schema: `/v2/datasets/${dataset.slug}/schema`,
  freshness: `/v2/datasets/${dataset.slug}/freshness`,
  coverage: `/v2/coverage/${dataset.slug}`,
  reconciliation: `/v2/data-catalog/reconciliation/${dataset.slug}`,
})

/** Accepts a slug or an id, with hyphens or underscores. */
export const findDataset = (catalog: Catalog, name: string): Dataset | undefined => find(served(catalog), name)

const find = (datasets: readonly Dataset[], name: string): Dataset | undefined =>
  datasets.find(({ slug, id }) => slug === name.replaceAll('_', '-') || id === name || id.replaceAll('-', '_') === name)

/** Also finds datasets that are not served. */
export const findDescribed = (catalog: Catalog, name: string): Dataset | undefined => find(described(catalog), name)

/** @throws Refusal unknown_dataset with the nearest name */
export function datasetNamed(catalog: Catalog, name: string): Dataset {
  const dataset = findDescribed(catalog, name)
  if (dataset) return dataset
  const slugs = described(catalog).map(({ slug }) => slug)
  throw new Refusal('unknown_dataset', { did_you_mean: nearest(name.replaceAll('_', '-').toLowerCase(), slugs) ?? null, allowed: slugs })
}
