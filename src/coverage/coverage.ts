import { type Cadence, coverageWords, type Dataset, type Deadlines, isScheduled, keyedByTicker, symbolFilter } from '../../catalog/index.ts'
import { type Fault, inputRefusal, type Words } from '../core/index.ts'
import { readValues } from '../read/index.ts'
import { type DatasetState, gapLabels, gapNotes, type Release, warningLabels } from '../releases/index.ts'
import type { CatalogState } from './catalog-state.ts'
import type { SpansByParent } from './parents.ts'

/**
 * Rows, keys and days a dataset has, as measured at publication: zero while it was never published, null while no release passes its
 * check.
 */
export function extentOf({ release, lost }: DatasetState) {
  const none = lost ? null : 0
  const { rows, keys, first_date, last_date } = release?.manifest.statistics ?? {
    rows: none,
    keys: none,
    first_date: null,
    last_date: null,
  }
  return { row_count: rows, symbols_count: keys, first_date, last_date }
}

/** One row of `/v2/coverage`: what a dataset is meant to cover, and what it holds. */
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

/** The answer of `/v2/coverage`: a row for each dataset. */
export function coverageList({ datasets }: CatalogState) {
  const data = datasets.map(coverageView)
  return { data, data_count: data.length }
}

/** The answer of `/coverage`: the same rows, with totals over all datasets. */
export function coverageOverview(state: CatalogState) {
  const { data, data_count } = coverageList(state)
  const days = (name: 'first_date' | 'last_date') => data.flatMap(row => row[name] ?? []).sort()
  const counted = data.flatMap(({ counted_at }) => counted_at ?? []).sort()
  return {
    datasets_count: data_count,
    datasets_with_rows: data.filter(({ row_count }) => row_count !== null && row_count > 0).length,
    row_count: data.reduce((sum, { row_count }) => sum + (row_count ?? 0), 0),
    tickers_count: distinctTickers(state.datasets.filter(({ dataset }) => keyedByTicker(dataset))),
    first_date: days('first_date')[0] ?? null,
    last_date: days('last_date').at(-1) ?? null,
    markets: [...new Set(data.flatMap(({ markets }) => markets))].sort(),
    counted_at: counted.at(-1) ?? null,
    synthetic: state.datasets.some(({ release }) => release?.manifest.synthetic),
    warnings: [...new Set(data.flatMap(({ warnings }) => warnings))],
    data,
    data_count,
  }
}

const EVERY: { readonly [E in Cadence['every']]: (cadence: Extract<Cadence, { readonly every: E }>) => Words } = {
  trading_day: ({ expectedAt }) => ({ en: `every trading day by ${expectedAt}`, zh: `每個交易日 ${expectedAt} 前` }),
  week: ({ weekday, expectedAt }) => ({
    en: `every week on weekday ${weekday} (1 is Monday) by ${expectedAt}`,
    zh: `每週星期${'一二三四五六日'[weekday - 1]} ${expectedAt} 前`,
  }),
  month: ({ day, expectedAt }) => ({
    en: `every month by day ${day} of the next, ${expectedAt}`,
    zh: `每月，於次月 ${day} 日 ${expectedAt} 前`,
  }),
  quarter: ({ deadlines, expectedAt }) => ({
    en: `every quarter by its deadline (${deadlinesText(deadlines, at => `Q${at}`, ', ')}), ${expectedAt}`,
    zh: `每季，於申報期限（${deadlinesText(deadlines, at => `第${'一二三四'[at - 1]}季`, '、')}）當日 ${expectedAt} 前`,
  }),
  on_change: () => ({ en: 'when its source changes', zh: '來源變動時' }),
}

function timingOf(dataset: Dataset, language: keyof Words): string {
  const timing = (EVERY[dataset.cadence.every] as (cadence: Cadence) => Words)(dataset.cadence)[language]
  if (isScheduled(dataset)) return timing
  return { en: `not scheduled; counts as missing where it is not there ${timing}`, zh: `未排程；${timing}未到者視為缺漏` }[language]
}

const deadlinesText = (deadlines: Deadlines, quarter: (number: number) => string, between: string): string =>
  (['03', '06', '09', '12'] as const).map((end, at) => `${quarter(at + 1)} ${deadlines[end]}`).join(between)

/**
 * The answer of `/v2/coverage/{dataset}?symbol=`: for a key, or else for what keys are parts of.
 *
 * @throws Refusal invalid_parameter where no symbol of the dataset can look like that
 */
export async function symbolCoverage(state: DatasetState, text: string, parents: (release: Release) => Promise<SpansByParent>) {
  const { dataset, release } = state
  const faults: Fault[] = []
  const symbol = readSymbol(dataset, text, faults)
  const found = symbol === undefined ? undefined : coverageOf(state, symbol)
  if (found && (found.covered !== false || dataset.parent === undefined)) return found
  const parent = release && dataset.parent !== undefined ? (await parents(release)).get(text) : undefined
  if (parent) return { ...coverageOf(state, text), covered: true, first_date: parent[0], last_date: parent[1], row_count: parent[2] }
  if (found === undefined) throw inputRefusal(faults)
  return found
}

/**
 * The answer of `/v2/coverage?symbol=`: a row for every dataset keyed by ticker, whether or not it has that ticker.
 *
 * @throws Refusal invalid_parameter where no ticker can look like that
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

/** The symbol as the dataset writes it; undefined, with a fault added, where no key of the dataset can look like that. */
function readSymbol(dataset: Dataset, text: string, faults: Fault[]): string | undefined {
  const filter = symbolFilter(dataset)
  if (!filter) {
    const words = { en: `${dataset.slug} has no symbols; leave symbol out`, zh: `${dataset.slug} 沒有代號；請省略 symbol` }
    faults.push({ loc: ['query', 'symbol'], words, type: 'unknown_parameter' })
    return undefined
  }
  const wrong: Fault[] = []
  // One symbol here, even where reads take a list.
  const [symbol] = readValues('symbol', { ...filter, op: 'eq' }, false, text, wrong)
  faults.push(...wrong)
  return wrong.length > 0 ? undefined : symbol
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

/** The exact number of distinct keys over several datasets. */
export const distinctTickers = (datasets: readonly DatasetState[]): number =>
  new Set(datasets.flatMap(({ release }) => (release ? [...Object.keys(release.spans.base), ...Object.keys(release.spans.delta)] : [])))
    .size
