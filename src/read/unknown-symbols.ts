import { type Dataset, keyedByTicker } from '../../catalog/index.ts'
import type { Release } from '../releases/index.ts'
import type { BoundFilter } from './filters.ts'

/** Tickers that have rows in any served release, with their names. */
export interface KnownSymbols {
  /** Changes when the set of tickers changes. */
  readonly tag: string
  has(ticker: string): boolean
  /** Tickers and names that resemble a text, best first, at most 3. */
  similarTo(text: string): readonly SimilarSymbol[]
}

export interface SimilarSymbol {
  readonly symbol: string
  readonly name: string
}

/** A requested ticker that no served dataset has, and similar tickers. */
export interface UnknownSymbol {
  readonly symbol: string
  readonly did_you_mean: readonly SimilarSymbol[]
}

/** The unknown tickers of a read. */
export interface UnknownSymbols {
  readonly tickers: readonly string[]
  /** True if every requested ticker is unknown, so the read has no rows and is free. */
  readonly isAll: boolean
  /** Value of `KnownSymbols.tag` when the tickers were checked. */
  readonly tag: string
  /** The unknown tickers, at most 10. Computed on the first call. */
  described(): readonly UnknownSymbol[]
}

/** Warning of an answer to a read with unknown tickers. */
export const UNKNOWN_SYMBOL = 'unknown_symbol'

const MOST_DESCRIBED = 10

/**
 * Finds the requested tickers that neither the release nor any served dataset has.
 *
 * @param known null if the tickers are not indexed yet
 * @returns null if there are none, and for datasets that are not read by ticker
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
  // A ticker of a new release may not be indexed yet, so the release is checked too.
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
