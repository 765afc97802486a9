import { PLANS } from './plans.ts'
import type { PlanId, Priced } from './schema/index.ts'

/** Formats of a read. The first one is the default. */
export const FORMATS = ['json', 'csv', 'ndjson', 'arrow', 'parquet'] as const
export type Format = (typeof FORMATS)[number]

/** All searches have the same price, whatever the number of hits. */
export const SEARCH = { slug: 'search', id: 'search', access: { plan: 'free', credits: 1 } } as const satisfies Priced

/** All field queries have the same price, whatever the number of entities and fields. */
export const QUERY = { slug: 'query', id: 'query', access: { plan: 'free', credits: 1 } } as const satisfies Priced

/** The minimum price of an SQL query. The actual price depends on the number of scanned rows. */
export const SQL = { slug: 'sql', id: 'sql', access: { plan: 'free', credits: 1 } } as const satisfies Priced

/** Limits of one SQL query. The number of result rows is limited by the plan's `rowLimit`. */
export interface SqlBudget {
  readonly seconds: number
  /** Memory of the engine, in MB. The operator can set a lower limit. */
  readonly memoryMb: number
}

export const SQL_BUDGETS: Readonly<Record<PlanId, SqlBudget>> = {
  free: { seconds: 2, memoryMb: 256 },
  pro: { seconds: 5, memoryMb: 512 },
  max: { seconds: 15, memoryMb: 1_024 },
}

/** Products other than datasets. Usage is counted under these names. */
export const PRODUCTS: readonly Priced[] = [SEARCH, QUERY, SQL]

/**
 * Credits for rows that are delivered as whole files. Equals the price of reading the same rows in
 * pages of the plan's maximum size, so that neither way is cheaper. An empty list of files costs as
 * much as an empty read.
 */
export const creditsOfRows = ({ access }: Priced, plan: PlanId, rows: number): number =>
  access!.credits * Math.max(1, Math.ceil(rows / PLANS[plan].rowLimit))
