import { expect, it } from 'vitest'
import { axesOf, firstAxes } from '../../portal/pages/explore/axes.ts'

const COLUMNS = [
  { name: 'ticker', type: 'text', unit: null },
  { name: 'trade_date', type: 'date', unit: null },
  { name: 'trades', type: 'integer', unit: null },
  { name: 'open', type: 'number', unit: 'TWD per share' },
  { name: 'close', type: 'number', unit: 'TWD per share' },
  { name: 'lineage', type: 'json', unit: null },
] as const

it('the first chart shows the close by date, or by ticker if the rows are of one day', () => {
  expect(firstAxes(COLUMNS, false)).toEqual({ x: 'trade_date', y: 'close' })
  expect(firstAxes(COLUMNS, true)).toEqual({ x: 'ticker', y: 'close' })
  expect(firstAxes(COLUMNS.slice(0, 2), false)).toBe(null)
})

it('the first chart of a dataset without a close shows the first numeric column with a unit', () => {
  expect(firstAxes(COLUMNS.slice(0, 4), false)).toEqual({ x: 'trade_date', y: 'open' })
})

it('charts offer numeric columns for the vertical axis, and all columns except objects for the horizontal axis', () => {
  const { x, y } = axesOf(COLUMNS)
  expect(x.map(({ name }) => name)).toEqual(['ticker', 'trade_date', 'trades', 'open', 'close'])
  expect(y.map(({ name }) => name)).toEqual(['trades', 'open', 'close'])
})
