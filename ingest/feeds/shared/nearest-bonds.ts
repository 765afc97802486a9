import type { Row } from '../../../catalog/index.ts'

/** The yield of a bond on one day. */
export interface BondYield {
  readonly day: string
  readonly bond: string
  /** Years to maturity. */
  readonly years: number
  /** Percent per year. */
  readonly yield: number
}

/** Tenors of the curve, in years. */
const TENORS = [2, 5, 10, 20, 30] as const
/**
 * A bond represents a tenor if its years differ by at most this share of the tenor, or half a year.
 */
const [NEAREST_SHARE, NEAREST_YEARS] = [0.15, 0.5]

/**
 * Version of the rule, in `index_version`. Changes with the tenors, the maximum distance, or the
 * choice between two equal bonds.
 */
const RULE = 'twgb-nearest-1'

/**
 * One curve per day as rows of bond-yield-curve. Each tenor has the yield of the bond with the
 * nearest years to maturity, the younger of two equal ones, or none if no bond is near.
 *
 * @param emitter name of the list, for the lineage
 */
export function curvesOf(yields: readonly BondYield[], emitter: string): readonly Row[] {
  return [...Map.groupBy(yields, ({ day }) => day).values()].flatMap(bonds =>
    TENORS.flatMap(tenor => {
      const near = bonds.filter(({ years }) => Math.abs(years - tenor) <= Math.max(NEAREST_YEARS, tenor * NEAREST_SHARE))
      const [nearest] = near.toSorted(
        (a, b) => Math.abs(a.years - tenor) - Math.abs(b.years - tenor) || b.years - a.years || (a.bond < b.bond ? 1 : -1),
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
