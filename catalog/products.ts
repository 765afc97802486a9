import type { Priced } from './schema/index.ts'

/** One price for every search, whatever it finds. */
export const SEARCH = { slug: 'search', id: 'search', access: { plan: 'free', credits: 1 } } as const satisfies Priced

/** One price for every field query, however many entities and fields it names. */
export const QUERY = { slug: 'query', id: 'query', access: { plan: 'free', credits: 1 } } as const satisfies Priced

/** What is sold by the call beside the datasets. Usage is counted under these names as it is under a dataset's. */
export const PRODUCTS: readonly Priced[] = [SEARCH, QUERY]
