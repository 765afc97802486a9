import { type Dataset, keyedByTicker } from '../../catalog/index.ts'
import type { Release } from '../releases/index.ts'
import type { BoundFilter } from './filters.ts'

/** All tickers with rows in a served release. */
export interface KnownSymbols {
  /** Changes when a ticker is added or removed. */
  readonly tag: string
  has(ticker: string): boolean
  /** Returns up to 3 similar codes or names, best match first. */
  similarTo(text: string): readonly SimilarSymbol[]
}

export interface SimilarSymbol {
  readonly symbol: string
  readonly name: string
}

export interface UnknownSymbol {
  readonly symbol: string
  readonly did_you_mean: readonly SimilarSymbol[]
}

export interface UnknownSymbols {
  readonly tickers: readonly string[]
  /** True if all requested tickers are unknown. The read is then free. */
  readonly isAll: boolean
  /** `KnownSymbols.tag` at the time of the check. */
  readonly tag: string
  /** At most 10. Computed on the first call. */
  described(): readonly UnknownSymbol[]
}

export const UNKNOWN_SYMBOL = 'unknown_symbol'

const MOST_DESCRIBED = 10

/**
 * Returns requested tickers that have no rows in any served dataset.
 * @param known the tickers of the served datasets; null if they are not indexed yet
 * @returns null if every ticker is known, and for datasets that are not read by ticker
 */
export function unknownSymbols(
  dataset: Dataset,
  release: Release | null,
  filters: readonly BoundFilter[],
  known: KnownSymbols | null,
): UnknownSymbols | null {
  if (!release || !known || !keyedByTicker(dataset) || release.manifest.key !== dataset.key) return null
  const requested = filters.find(({ column, op }) => column === dataset.key && (op === 'eq' || op === 'in'))?.values ?? []
  const { base, delta } = release.spans
  // The index may not include the tickers of a new release yet.
  const tickers = requested.filter(ticker => !Object.hasOwn(base, ticker) && !Object.hasOwn(delta, ticker) && !known.has(ticker))
  if (tickers.length === 0) return null
  let described: readonly UnknownSymbol[] | undefined
  return {
    tickers,
    isAll: tickers.length === requested.length,
    tag: known.tag,
    described: () => (described ??= tickers.slice(0, MOST_DESCRIBED).map(symbol => ({ symbol, did_you_mean: known.similarTo(symbol) }))),
  }
}
