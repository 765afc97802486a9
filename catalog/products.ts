import { PLANS } from './plans.ts'
import type { PlanId, Priced } from './schema/index.ts'

/** Formats a read can be requested in, the default first. */
export const FORMATS = ['json', 'csv', 'ndjson', 'arrow', 'parquet'] as const
export type Format = (typeof FORMATS)[number]

/** Every search has one price, whatever it finds. */
export const SEARCH = { slug: 'search', id: 'search', access: { plan: 'free', credits: 1 } } as const satisfies Priced

/** Every field query has one price, however many entities and fields it names. */
export const QUERY = { slug: 'query', id: 'query', access: { plan: 'free', credits: 1 } } as const satisfies Priced

/** Products other than datasets, priced per call. Usage is counted under these names. */
export const PRODUCTS: readonly Priced[] = [SEARCH, QUERY]

/**
 * Credits of rows delivered as whole files: the price of the same rows read in pages of the plan's
 * maximum size, so that neither way is cheaper. An empty list costs as much as an empty read.
 */
export const creditsOfRows = ({ access }: Priced, plan: PlanId, rows: number): number =>
  access!.credits * Math.max(1, Math.ceil(rows / PLANS[plan].rowLimit))
