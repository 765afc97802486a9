import { expect, it } from 'vitest'
import { csvOf } from '../../portal/parts/csv.ts'

it('csvOf quotes separators, leaves nulls empty and disarms formulas', () => {
  const rows = [
    { ticker: '2330', name: '台積電, "TSMC"', close: 1_370.5, note: null },
    { ticker: '2317', name: '=1+1', close: -2, note: true },
  ]
  expect(csvOf(rows)).toBe('\ufeffticker,name,close,note\r\n2330,"台積電, ""TSMC""",1370.5,\r\n2317,\'=1+1,-2,true\r\n')
  expect(csvOf(rows, ['close'])).toBe('\ufeffclose\r\n1370.5\r\n-2\r\n')
})
