import { type Dataset, type Filter, keyedByTicker } from '../../catalog/index.ts'
import { type Fault, inputRefusal } from '../core/index.ts'
import { readValues } from '../read/index.ts'
import { type DatasetState, type Release, warningLabels } from '../releases/index.ts'
import type { CatalogState } from './catalog-state.ts'
import { heldOf } from './held.ts'

/** What `symbol` means to a dataset: its own parameter of that name; else the parameter that names one key, such as an index code. */
const symbolFilter = ({ filters, key }: Dataset): Filter | undefined =>
  filters['symbol'] ?? Object.values(filters).find(({ column, op }) => column === key && op === 'eq')

/** What `/v2/coverage/{dataset}?symbol=` answers. @throws Refusal invalid_parameter when the dataset has no symbol of that shape */
export function symbolCoverage(state: DatasetState, text: string) {
  const faults: Fault[] = []
  const symbol = readSymbol(state.dataset, text, faults)
  if (symbol === undefined) throw inputRefusal(faults)
  return coverageOf(state, symbol)
}

/**
 * What `/v2/coverage?symbol=` answers: every dataset kept by ticker, whether it has that one or not.
 *
 * @throws Refusal invalid_parameter when no dataset has tickers of that shape
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

/** The symbol as the dataset writes it; undefined, with a fault, when none of its keys has that shape. */
function readSymbol(dataset: Dataset, text: string, faults: Fault[]): string | undefined {
  const filter = symbolFilter(dataset)
  if (!filter) {
    faults.push({ loc: ['query', 'symbol'], msg: `${dataset.slug} has no symbols; leave symbol out`, type: 'unknown_parameter' })
    return undefined
  }
  const wrong: Fault[] = []
  // One symbol, also where reads take a list of them.
  const [symbol] = readValues('symbol', { ...filter, op: 'eq' }, false, text, wrong)
  faults.push(...wrong)
  return wrong.length > 0 ? undefined : symbol
}

function coverageOf(state: DatasetState, symbol: string) {
  const { dataset, release, lost } = state
  const { row_count, first_date, last_date } = symbol === symbolFilter(dataset)?.all ? heldOf(state) : keyOf(release, symbol)
  return {
    dataset: dataset.id,
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

/** Distinct keys of several datasets together, exactly. */
export const distinctTickers = (datasets: readonly DatasetState[]): number =>
  new Set(datasets.flatMap(({ release }) => (release ? [...Object.keys(release.spans.base), ...Object.keys(release.spans.delta)] : [])))
    .size
