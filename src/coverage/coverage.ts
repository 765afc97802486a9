import { type Cadence, coverageWords, type Dataset, type Deadlines, isScheduled, keyedByTicker, symbolFilter } from '../../catalog/index.ts'
import { type Fault, inputRefusal, type Words } from '../core/index.ts'
import { readValues } from '../read/index.ts'
import { type DatasetState, gapLabels, gapNotes, type Release, warningLabels } from '../releases/index.ts'
import type { CatalogState } from './catalog-state.ts'
import type { SpansByParent } from './parents.ts'

/** Counts are 0 before the first publication, and null if every release is damaged. */
export function extentOf({ release, lost }: DatasetState) {
  const emptyCount = lost ? null : 0
  const { rows, keys, first_date, last_date } = release?.manifest.statistics ?? {
    rows: emptyCount,
    keys: emptyCount,
    first_date: null,
    last_date: null,
  }
  return { row_count: rows, symbols_count: keys, first_date, last_date }
}

/** Entry of a dataset in `/v2/coverage`. */
export function coverageView(state: DatasetState) {
  const { dataset, release } = state
  const extent = extentOf(state)
  const { scope, type } = coverageWords(dataset)
  return {
    dataset: dataset.id,
    slug: dataset.slug,
    ...extent,
    start_year: extent.first_date === null ? null : Number(extent.first_date.slice(0, 4)),
    update_timing: timingOf(dataset, 'en'),
    update_timing_zh: timingOf(dataset, 'zh'),
    delisted_included: dataset.coverage.delisted,
    markets: dataset.coverage.markets,
    coverage_type: type,
    scope,
    completeness_ratio: release?.manifest.statistics.completeness ?? null,
    known_gaps: gapLabels(state),
    known_gap_notes: gapNotes(state),
    warnings: warningLabels(state),
    counted_at: release?.manifest.published_at ?? null,
  }
}

export function coverageList({ datasets }: CatalogState) {
  const data = datasets.map(coverageView)
  return { data, data_count: data.length }
}

/** Body of `/coverage`: all entries of `/v2/coverage`, and totals. */
export function coverageOverview(state: CatalogState) {
  const { data, data_count } = coverageList(state)
  const days = (name: 'first_date' | 'last_date') => data.flatMap(row => row[name] ?? []).sort()
  const countedAt = data.flatMap(({ counted_at }) => counted_at ?? []).sort()
  return {
    datasets_count: data_count,
    datasets_with_rows: data.filter(({ row_count }) => row_count !== null && row_count > 0).length,
    row_count: data.reduce((sum, { row_count }) => sum + (row_count ?? 0), 0),
    tickers_count: distinctTickers(state.datasets.filter(({ dataset }) => keyedByTicker(dataset))),
    first_date: days('first_date')[0] ?? null,
    last_date: days('last_date').at(-1) ?? null,
    markets: [...new Set(data.flatMap(({ markets }) => markets))].sort(),
    counted_at: countedAt.at(-1) ?? null,
    synthetic: state.datasets.some(({ release }) => release?.manifest.synthetic),
    warnings: [...new Set(data.flatMap(({ warnings }) => warnings))],
    data,
    data_count,
  }
}

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

const EVERY: { readonly [E in Cadence['every']]: (cadence: Extract<Cadence, { readonly every: E }>) => Words } = {
  trading_day: ({ expectedAt }) => ({ en: `every trading day by ${expectedAt}`, zh: `每個交易日 ${expectedAt} 前` }),
  week: ({ weekday, expectedAt }) => ({
    en: `every ${WEEKDAYS[weekday - 1]} by ${expectedAt}`,
    zh: `每週${'一二三四五六日'[weekday - 1]} ${expectedAt} 前`,
  }),
  month: ({ day, expectedAt }) => ({
    en: `every month by ${expectedAt} on day ${day}, for the previous month`,
    zh: `每月資料於次月 ${day} 日 ${expectedAt} 前`,
  }),
  quarter: ({ deadlines, expectedAt }) => ({
    en: `every quarter by ${expectedAt} on its deadline (${deadlinesText(deadlines, quarter => `Q${quarter}`, ', ')})`,
    zh: `每季資料於申報期限（${deadlinesText(deadlines, quarter => `第${'一二三四'[quarter - 1]}季`, '、')}）當日 ${expectedAt} 前`,
  }),
  on_change: () => ({ en: 'when its source changes', zh: '來源變動時' }),
}

function timingOf(dataset: Dataset, language: keyof Words): string {
  const timing = (EVERY[dataset.cadence.every] as (cadence: Cadence) => Words)(dataset.cadence)[language]
  if (isScheduled(dataset)) return timing
  return { en: `no fixed schedule; data counts as missing if it is not available ${timing}`, zh: `無固定排程；${timing}未更新即視為缺漏` }[
    language
  ]
}

const deadlinesText = (deadlines: Deadlines, nameOf: (quarter: number) => string, separator: string): string =>
  (['03', '06', '09', '12'] as const).map((end, index) => `${nameOf(index + 1)} ${deadlines[end]}`).join(separator)

/**
 * Body of `/v2/coverage/{dataset}?symbol=`.
 *
 * @param text key of the dataset, or a parent of several keys
 * @throws Refusal invalid_parameter if the symbol has the wrong form
 */
export async function symbolCoverage(state: DatasetState, text: string, parents: (release: Release) => Promise<SpansByParent>) {
  const { dataset, release } = state
  const faults: Fault[] = []
  const symbol = readSymbol(dataset, text, faults)
  const coverage = symbol === undefined ? undefined : coverageOf(state, symbol)
  if (coverage && (coverage.covered !== false || dataset.parent === undefined)) return coverage
  const parent = release && dataset.parent !== undefined ? (await parents(release)).get(text) : undefined
  if (parent) return { ...coverageOf(state, text), covered: true, first_date: parent[0], last_date: parent[1], row_count: parent[2] }
  if (coverage === undefined) throw inputRefusal(faults)
  return coverage
}

/**
 * Body of `/v2/coverage?symbol=`. Includes datasets without rows of the ticker.
 *
 * @throws Refusal invalid_parameter if no dataset has keys of this form
 */
export function tickerCoverage({ datasets }: CatalogState, text: string) {
  const faults: Fault[] = []
  const data = datasets
    .filter(({ dataset }) => keyedByTicker(dataset))
    .flatMap(state => {
      const symbol = readSymbol(state.dataset, text, faults)
      return symbol === undefined ? [] : [coverageOf(state, symbol)]
    })
  if (data.length === 0) throw inputRefusal(faults.slice(0, 1))
  return { data, data_count: data.length }
}

function readSymbol(dataset: Dataset, text: string, faults: Fault[]): string | undefined {
  const filter = symbolFilter(dataset)
  if (!filter) {
    const words = { en: `${dataset.slug} has no symbols: omit symbol`, zh: `${dataset.slug} 沒有代號；請省略 symbol` }
    faults.push({ loc: ['query', 'symbol'], words, type: 'unknown_parameter' })
    return undefined
  }
  const newFaults: Fault[] = []
  const [symbol] = readValues('symbol', { ...filter, op: 'eq' }, false, text, newFaults)
  faults.push(...newFaults)
  return newFaults.length > 0 ? undefined : symbol
}

function coverageOf(state: DatasetState, symbol: string) {
  const { dataset, release, lost } = state
  const { row_count, first_date, last_date } = symbol === symbolFilter(dataset)?.all ? extentOf(state) : keyOf(release, symbol)
  return {
    dataset: dataset.id,
    slug: dataset.slug,
    symbol,
    covered: lost ? null : row_count !== null && row_count > 0,
    first_date,
    last_date,
    row_count: lost ? null : row_count,
    warnings: warningLabels(state),
  }
}

function keyOf(release: Release | null, key: string) {
  const [first_date, last_date, row_count] = release?.spanOf(key) ?? [null, null, 0]
  return { row_count, first_date, last_date }
}

/** Counts a key only once, even if several datasets have the key. */
export const distinctTickers = (datasets: readonly DatasetState[]): number =>
  new Set(datasets.flatMap(({ release }) => (release ? [...Object.keys(release.spans.base), ...Object.keys(release.spans.delta)] : [])))
    .size
