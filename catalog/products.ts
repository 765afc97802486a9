import { PLANS } from './plans.ts'
import type { PlanId, Priced } from './schema/index.ts'

/** Formats in which rows can be read. The first one is the default. */
export const FORMATS = ['json', 'csv', 'ndjson', 'arrow', 'parquet'] as const
export type Format = (typeof FORMATS)[number]

/** A search. The price does not depend on the number of hits. */
export const SEARCH = { slug: 'search', id: 'search', access: { plan: 'free', credits: 1 } } as const satisfies Priced

/** A field query. The price does not depend on the number of entities and fields. */
export const QUERY = { slug: 'query', id: 'query', access: { plan: 'free', credits: 1 } } as const satisfies Priced

/** An SQL query, with its minimum price. The actual price depends on the number of scanned rows. */
export const SQL = { slug: 'sql', id: 'sql', access: { plan: 'free', credits: 1 } } as const satisfies Priced

/** Limits of one SQL query. The plan's `rowLimit` limits the result rows. */
export interface SqlBudget {
  readonly seconds: number
  /** Maximum memory of the engine, in MB. The operator can set a lower limit. */
  readonly memoryMb: number
}

export const SQL_BUDGETS: Readonly<Record<PlanId, SqlBudget>> = {
  free: { seconds: 2, memoryMb: 256 },
  pro: { seconds: 5, memoryMb: 512 },
  max: { seconds: 15, memoryMb: 1_024 },
}

/** Products other than datasets. Usage reports contain these names. */
export const PRODUCTS: readonly Priced[] = [SEARCH, QUERY, SQL]

/**
 * Returns the price in credits of rows that are delivered as whole files. The price equals that of
 * reading the same rows in pages of the plan's maximum size, so that neither way is cheaper. An
 * empty list of files costs as much as an empty read.
 */
export const creditsOfRows = ({ access }: Priced, plan: PlanId, rows: number): number =>
  access!.credits * Math.max(1, Math.ceil(rows / PLANS[plan].rowLimit))
