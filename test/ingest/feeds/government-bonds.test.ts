import { expect, it } from 'vitest'
import bonds from '../../../ingest/feeds/government-bonds.ts'
import { bodyOf, refusalOf, rowsOf } from '../../fixtures/feeds/bodies.ts'

const HEADING = 'recorddate,bond_code,name,maturity_roc,time_to_maturity_years,duration,coupon,yield_pct'
const list = (...bondsOfDay: readonly (readonly [bond: string, years: string, percent: string])[]): string =>
  `${HEADING}\n${bondsOfDay.map(([bond, years, percent]) => `2026-06-30,${bond},x,120/01/13,${years},9,2,${percent}`).join('\n')}\n`
const curve = (content: unknown) =>
  rowsOf(bonds.parse(bodyOf(content), undefined), 'bond-yield-curve').map(({ tenor_label, yield_rate, lineage }) => [
    tenor_label,
    yield_rate,
    (lineage as { bond_code: string }).bond_code,
  ])

it('the yield curve takes the bond nearest to each tenor, or the later maturity if two bonds are equally near', () => {
  expect(curve(list(['A11101', '9.4', '1.1'], ['A11102', '9.8', '1.2'], ['A11103', '10.2', '1.3'], ['A11104', '2.1', '0.9']))).toEqual([
    ['2Y', 0.9, 'A11104'],
    ['10Y', 1.3, 'A11103'],
  ])
})

it('the yield curve compares the years to maturity as decimals', () => {
  // As binary fractions, 2.14 is further from 2 than 1.86.
  expect(curve(list(['A11101', '1.86', '1.1'], ['A11102', '2.14', '1.2']))).toEqual([['2Y', 1.2, 'A11102']])
})

it('the yield curve omits a tenor without a bond within 15 % of the tenor or half a year', () => {
  expect(curve(list(['A11101', '2.5', '1'], ['A11102', '4.24', '1.1'], ['A11103', '11.5', '1.2'], ['A11104', '25.4', '1.5']))).toEqual([
    ['2Y', 1, 'A11101'],
    ['10Y', 1.2, 'A11103'],
  ])
})

it("the yield curve leaves out other issuers' bonds and bonds without a yield", () => {
  expect(curve(list(['B903Y1', '2.0', '1.8'], ['A11101', '2.1', '-'], ['A11102', '2.3', '1.4']))).toEqual([['2Y', 1.4, 'A11102']])
})

it('every yield curve row states that it is a stand-in for the official curve', () => {
  expect(rowsOf(bonds.parse(bodyOf(list(['A11101', '2', '-0.1'])), undefined), 'bond-yield-curve')).toMatchObject([
    {
      trade_date: '2026-06-30',
      yield_rate: -0.1,
      curve_type: 'government_nearest_bond',
      source_role: 'stand_in',
      index_version: 'twgb-nearest-1',
      lineage: { residual_years: 2 },
    },
  ])
})

it("the yield curve reads the average yield from a day's trades", () => {
  const record = { '代號 Code': 'A11101', DY: 9.9, '平均 Average': 99.5, '平均 Volume-Weighted Average': 1.234 }
  expect(curve({ dates: { '2026-06-30': { records: [record] } } })).toEqual([['10Y', 1.234, 'A11101']])
})

it('a list of bonds is refused for another table or an impossible day', () => {
  expect(refusalOf(bonds, bodyOf({ dates: {} })).rule).toBe('wrong_table')
  expect(refusalOf(bonds, bodyOf('a,b\n1,2\n')).rule).toBe('wrong_table')
  expect(refusalOf(bonds, bodyOf(list(['A11101', '2', '1']).replace('2026-06-30', '2026-06-31'))).rule).toBe('impossible_date')
})

it('a list of bonds in an unknown form is refused as unknown, not read as an empty day', () => {
  const trades = (record: Readonly<Record<string, unknown>>) => bodyOf({ dates: { '2026-06-30': { records: [record] } } })
  const renamed = refusalOf(bonds, trades({ Code: 'A11101', DY: 9.9, 'Weighted Average': 1.234 }))
  expect(renamed.rule).toBe('unknown_form')
  expect(renamed.message).toContain('代號 Code, 平均 Volume-Weighted Average')
  const other = refusalOf(bonds, bodyOf(list(['TW0001A11101', '2', '1'])))
  expect([other.rule, other.message]).toEqual(['unknown_form', expect.stringContaining('TW0001A11101')])
  expect(refusalOf(bonds, bodyOf(list(['A11101', '2', '1.2%']))).rule).toBe('unreadable_number')
  expect(bonds.parse(trades({ '代號 Code': 'A11101', DY: '-', '平均 Volume-Weighted Average': '-' }), undefined).kind).toBe('empty')
})
