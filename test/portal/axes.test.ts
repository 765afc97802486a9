import { expect, it } from 'vitest'
import { axesOf, firstAxes } from '../../portal/pages/explore/axes.ts'

const COLUMNS = [
  { name: 'ticker', type: 'text', unit: null },
  { name: 'trade_date', type: 'date', unit: null },
  { name: 'trades', type: 'integer', unit: null },
  { name: 'close', type: 'number', unit: 'TWD per share' },
  { name: 'lineage', type: 'json', unit: null },
] as const

it('the first chart has the first number with a unit by date, or by ticker on one day', () => {
  expect(firstAxes(COLUMNS, false)).toEqual({ x: 'trade_date', y: 'close' })
  expect(firstAxes(COLUMNS, true)).toEqual({ x: 'ticker', y: 'close' })
  expect(firstAxes(COLUMNS.slice(0, 2), false)).toBe(null)
})

it('charts offer numbers on the vertical axis, and all columns but objects on the other', () => {
  const { x, y } = axesOf(COLUMNS)
  expect(x.map(({ name }) => name)).toEqual(['ticker', 'trade_date', 'trades', 'close'])
  expect(y.map(({ name }) => name)).toEqual(['trades', 'close'])
})
