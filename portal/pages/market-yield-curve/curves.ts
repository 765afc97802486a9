import type { Row } from '../../api/client.ts'
import type { ChartSpec, Colour, Series } from '../../parts/chart-series.ts'
import { percentMeasure } from '../../parts/units.ts'

/** Yield of one tenor (time to maturity) on a day. */
export interface Tenor {
  readonly label: string
  readonly years: number
  /** Yield in percent. */
  readonly rate: number
}

/** Groups rows by day. Days are oldest first, and tenors are shortest first. */
export function curvesOf(rows: readonly Row[]): ReadonlyMap<string, readonly Tenor[]> {
  const days = Map.groupBy(rows, ({ trade_date }) => String(trade_date))
  return new Map(
    [...days]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([day, rows]) => [
        day,
        rows
          .flatMap(({ tenor_label, maturity_years, yield_rate }) =>
            typeof yield_rate === 'number' ? [{ label: String(tenor_label), years: Number(maturity_years), rate: yield_rate }] : [],
          )
          .sort((a, b) => a.years - b.years),
      ]),
  )
}

const line = (label: string, colour: Colour, tenors: readonly Tenor[], isDashed = false): Series => ({
  kind: 'line',
  label,
  colour,
  measure: percentMeasure(),
  isDashed,
  points: tenors.map(({ years, rate }) => ({ x: Math.round(years * 12), value: rate })),
})

export const curveChart = (day: string, tenors: readonly Tenor[], other: string, others: readonly Tenor[]): ChartSpec => ({
  kind: 'curve',
  series: [line(day, 'accent', tenors), ...(others.length > 0 && other !== day ? [line(other, 'series-2', others, true)] : [])],
})

/** Returns the yield spread in percentage points. Null if a tenor is missing. */
export function spread(tenors: readonly Tenor[], long: string, short: string): number | null {
  const rate = (label: string) => tenors.find(tenor => tenor.label === label)?.rate
  const [a, b] = [rate(long), rate(short)]
  return a === undefined || b === undefined ? null : a - b
}
