import type { Priced } from './schema/index.ts'

/** Formats a read can be requested in, the default first. */
export const FORMATS = ['json', 'csv', 'ndjson', 'arrow', 'parquet'] as const
export type Format = (typeof FORMATS)[number]

/** Every search has one price, whatever it finds. */
export const SEARCH = { slug: 'search', id: 'search', access: { plan: 'free', credits: 1 } } as const satisfies Priced

/** Every field query has one price, however many entities and fields it names. */
export const QUERY = { slug: 'query', id: 'query', access: { plan: 'free', credits: 1 } } as const satisfies Priced

/** What is sold by the call besides the datasets. Usage is counted under these names as it is under a dataset's. */
export const PRODUCTS: readonly Priced[] = [SEARCH, QUERY]
