import type { Row } from '../../../catalog/index.ts'

export interface BondYield {
  readonly day: string
  readonly bond: string
  /** Remaining years to maturity. */
  readonly years: number
  /** Yield in percent per year. */
  readonly yield: number
}

const TENORS = [2, 5, 10, 20, 30] as const
/**
 * Maximum difference between tenor and remaining years: a share of the tenor, but at least a number
 * of years.
 */
const [NEAREST_SHARE, NEAREST_YEARS] = [0.15, 0.5]

/** Version of the rule that chooses bonds. Increase the version when the rule changes. */
const RULE = 'twgb-nearest-1'

/** Compares whole millionths of a year, so that rounding errors do not separate equal distances. */
const distance = (years: number, tenor: number): number => Math.round(Math.abs(years - tenor) * 1_000_000)

/**
 * Returns one yield curve per day. A tenor has the yield of the nearest bond. A tenor without a
 * near bond has no row. Of two equally near bonds, the one with the later maturity is used.
 *
 * @param emitter name of the list, for the lineage
 */
export function curvesOf(yields: readonly BondYield[], emitter: string): readonly Row[] {
  return [...Map.groupBy(yields, ({ day }) => day).values()].flatMap(bonds =>
    TENORS.flatMap(tenor => {
      const near = bonds.filter(({ years }) => Math.abs(years - tenor) <= Math.max(NEAREST_YEARS, tenor * NEAREST_SHARE))
      const [nearest] = near.toSorted(
        (a, b) => distance(a.years, tenor) - distance(b.years, tenor) || b.years - a.years || (a.bond < b.bond ? 1 : -1),
      )
      return nearest ? [row(nearest, tenor, emitter)] : []
    }),
  )
}

const row = ({ day, bond, years, yield: percent }: BondYield, tenor: number, emitter: string): Row => ({
  trade_date: day,
  curve_type: 'government_nearest_bond',
  tenor_label: `${tenor}Y`,
  maturity_years: tenor,
  yield_rate: percent,
  as_of: day,
  index_version: RULE,
  source_provider: 'tpex',
  source_role: 'stand_in',
  source_family: 'tpex_government_bond',
  source_authority: '財團法人中華民國證券櫃檯買賣中心',
  lineage: { echo_ok: true, emitter, bond_code: bond, residual_years: years, source_data_date: day },
})
