import { PLANS } from './plans.ts'
import type { PlanId, Priced } from './schema/index.ts'

/** Formats a read can be requested in, the default first. */
export const FORMATS = ['json', 'csv', 'ndjson', 'arrow', 'parquet'] as const
export type Format = (typeof FORMATS)[number]

/** Every search has one price, whatever it finds. */
export const SEARCH = { slug: 'search', id: 'search', access: { plan: 'free', credits: 1 } } as const satisfies Priced

/** Every field query has one price, however many entities and fields it names. */
export const QUERY = { slug: 'query', id: 'query', access: { plan: 'free', credits: 1 } } as const satisfies Priced

/** What is sold by the call besides the datasets. Usage is counted under these names as it is under a dataset's. */
export const PRODUCTS: readonly Priced[] = [SEARCH, QUERY]

/**
 * Credits of rows that are handed over as whole files: as many as the same rows cost in answers as large as the plan takes, so that neither
 * way is the cheaper one. A list without rows costs one answer, as a read without rows does.
 */
export const creditsOfRows = ({ access }: Priced, plan: PlanId, rows: number): number =>
  access!.credits * Math.max(1, Math.ceil(rows / PLANS[plan].rowLimit))
