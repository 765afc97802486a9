import { PLANS } from './plans.ts'
import type { PlanId, Priced } from './schema/index.ts'

/** Formats of a read. The first one is the default. */
export const FORMATS = ['json', 'csv', 'ndjson', 'arrow', 'parquet'] as const
export type Format = (typeof FORMATS)[number]

/** All searches have the same price, regardless of the hits. */
export const SEARCH = { slug: 'search', id: 'search', access: { plan: 'free', credits: 1 } } as const satisfies Priced

/** All field queries have the same price, regardless of the number of entities and fields. */
export const QUERY = { slug: 'query', id: 'query', access: { plan: 'free', credits: 1 } } as const satisfies Priced

/** Products other than datasets, priced per call. Usage is counted under these names. */
export const PRODUCTS: readonly Priced[] = [SEARCH, QUERY]

/**
 * Credits for rows that are delivered as whole files. They equal the price of reading the same rows
 * in pages of the plan's maximum size, so that neither way is cheaper. An empty list costs as much
 * as an empty read.
 */
export const creditsOfRows = ({ access }: Priced, plan: PlanId, rows: number): number =>
  access!.credits * Math.max(1, Math.ceil(rows / PLANS[plan].rowLimit))
