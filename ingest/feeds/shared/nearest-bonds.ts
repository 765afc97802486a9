import type { Row } from '../../../catalog/index.ts'

/** The yield of one bond on one day. */
export interface BondYield {
  readonly day: string
  readonly bond: string
  /** Years to maturity. */
  readonly years: number
  /** Percent a year. */
  readonly yield: number
}

/** Tenors the curve is read at, in years. */
const TENORS = [2, 5, 10, 20, 30] as const
/** A bond stands for a tenor if its years differ by no more than this share of it, and by half a year at least. */
const [NEAREST_SHARE, NEAREST_YEARS] = [0.15, 0.5]

/** Version of the rule, in `index_version`: it changes with the tenors, the reach or what is taken of two bonds alike. */
const RULE = 'twgb-nearest-1'

/**
 * A curve a day, read off the bonds: the yield of the bond whose years to maturity are nearest to each tenor, the younger of two, none where
 * no bond is near. Rows of bond-yield-curve.
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
