import { type Cadence, coverageWords, type Deadlines, keyedByTicker } from '../../catalog/index.ts'
import { type DatasetState, gapLabels, warningLabels } from '../releases/index.ts'
import type { CatalogState } from './catalog-state.ts'
import { heldOf } from './held.ts'
import { distinctTickers } from './symbol-coverage.ts'

/** One row of `/v2/coverage`: what a dataset means to cover, and what it holds. */
export function coverageView(state: DatasetState) {
  const { dataset, release } = state
  const held = heldOf(state)
  const { scope, type } = coverageWords(dataset)
  return {
    dataset: dataset.id,
    ...held,
    start_year: held.first_date === null ? null : Number(held.first_date.slice(0, 4)),
    update_timing: timingOf(dataset.cadence),
    delisted_included: dataset.coverage.delisted,
    markets: dataset.coverage.markets,
    coverage_type: type,
    scope,
    completeness_ratio: release?.manifest.statistics.completeness ?? null,
    known_gaps: gapLabels(state),
    warnings: warningLabels(state),
    counted_at: release?.manifest.published_at ?? null,
  }
}

/** What `/v2/coverage` answers: a row for each dataset. */
export function coverageList({ datasets }: CatalogState) {
  const data = datasets.map(coverageView)
  return { data, data_count: data.length }
}

/** What `/coverage` answers: the same rows under totals over all datasets. */
export function coverageOverview(moment: CatalogState) {
  const { data, data_count } = coverageList(moment)
  const days = (name: 'first_date' | 'last_date') => data.flatMap(row => row[name] ?? []).sort()
  const counted = data.flatMap(({ counted_at }) => counted_at ?? []).sort()
  return {
    datasets_count: data_count,
    datasets_with_rows: data.filter(({ row_count }) => row_count !== null && row_count > 0).length,
    row_count: data.reduce((sum, { row_count }) => sum + (row_count ?? 0), 0),
    tickers_count: distinctTickers(moment.datasets.filter(({ dataset }) => keyedByTicker(dataset))),
    first_date: days('first_date')[0] ?? null,
    last_date: days('last_date').at(-1) ?? null,
    markets: [...new Set(data.flatMap(({ markets }) => markets))].sort(),
    counted_at: counted.at(-1) ?? null,
    data,
    data_count,
  }
}

const EVERY: { readonly [E in Cadence['every']]: (cadence: Extract<Cadence, { readonly every: E }>) => string } = {
  trading_day: ({ expectedAt }) => `every trading day by ${expectedAt}`,
  week: ({ weekday, expectedAt }) => `every week on weekday ${weekday} (1 is Monday) by ${expectedAt}`,
  month: ({ day, expectedAt }) => `every month by day ${day} of the next, ${expectedAt}`,
  quarter: ({ deadlines, expectedAt }) => `every quarter by its deadline (${deadlinesText(deadlines)}), ${expectedAt}`,
  on_change: () => 'when its source changes',
}

const timingOf = (cadence: Cadence): string => (EVERY[cadence.every] as (cadence: Cadence) => string)(cadence)

const deadlinesText = (deadlines: Deadlines): string =>
  (['03', '06', '09', '12'] as const).map((end, at) => `Q${at + 1} ${deadlines[end]}`).join(', ')
