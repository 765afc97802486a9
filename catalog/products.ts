import { PLANS } from './plans.ts'
import type { PlanId, Priced } from './schema/index.ts'

/** The first format is the default. */
export const FORMATS = ['json', 'csv', 'ndjson', 'arrow', 'parquet'] as const
export type Format = (typeof FORMATS)[number]

/** The price does not depend on the number of hits. */
export const SEARCH = { slug: 'search', id: 'search', access: { plan: 'free', credits: 1 } } as const satisfies Priced

/** The price does not depend on the number of entities and fields. */
export const QUERY = { slug: 'query', id: 'query', access: { plan: 'free', credits: 1 } } as const satisfies Priced

/** Minimum price. The actual price depends on the scanned rows. */
export const SQL = { slug: 'sql', id: 'sql', access: { plan: 'free', credits: 1 } } as const satisfies Priced

/** Limits of one SQL query. The plan's `rowLimit` also limits the result. */
export interface SqlBudget {
  readonly seconds: number
  /** Maximum memory in MB. */
  readonly memoryMb: number
}

export const SQL_BUDGETS: Readonly<Record<PlanId, SqlBudget>> = {
  free: { seconds: 2, memoryMb: 256 },
  pro: { seconds: 5, memoryMb: 512 },
  max: { seconds: 15, memoryMb: 1_024 },
}

export const PRODUCTS: readonly Priced[] = [SEARCH, QUERY, SQL]

/**
 * Returns the price of rows in whole files. Pages with the same rows cost the same. An empty list
 * of files costs as much as an empty read.
 */
export const creditsOfRows = ({ access }: Priced, plan: PlanId, rows: number): number =>
  access!.credits * Math.max(1, Math.ceil(rows / PLANS[plan].rowLimit))
