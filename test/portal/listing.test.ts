import { expect, it } from 'vitest'
import { industriesOf, listing, sortedBy } from '../../portal/pages/companies/listing.ts'

const LISTED = [
  { ticker: '2330', name: '台積電', market: 'TWSE', industry: '半導體業' },
  { ticker: '2454', name: '聯發科', market: 'TWSE', industry: '半導體業' },
  { ticker: '1101', name: '台泥', market: 'TWSE', industry: '水泥工業' },
]
const all = listing(
  LISTED,
  [
    { ticker: '2330', close: 110, turnover: 300, volume: 3 },
    { ticker: '2454', close: 90, turnover: 100, volume: 1 },
  ],
  [
    { ticker: '2330', close: 100 },
    { ticker: '2454', close: 100 },
  ],
  [{ ticker: '2454', pe_ratio: 12, pb_ratio: 2, dividend_yield: 4 }],
)

it('listing() joins prices and ratios, and returns nulls for a security that was not traded', () => {
  expect(all[0]).toMatchObject({ ticker: '2330', close: 110, turnover: 300, pe: null })
  expect(all[0]!.change).toBeCloseTo(10)
  expect(all[2]).toMatchObject({ ticker: '1101', close: null, change: null, turnover: null })
})

it('sortedBy puts securities without a value last in both directions', () => {
  expect(sortedBy(all, '-change').map(({ ticker }) => ticker)).toEqual(['2330', '2454', '1101'])
  expect(sortedBy(all, 'change').map(({ ticker }) => ticker)).toEqual(['2454', '2330', '1101'])
  expect(sortedBy(all, 'ticker').map(({ ticker }) => ticker)).toEqual(['1101', '2330', '2454'])
})

it('industriesOf weights changes by turnover and counts rises and falls', () => {
  const [semiconductors, cement] = industriesOf(all)
  expect(semiconductors).toMatchObject({ industry: '半導體業', count: 2, up: 1, down: 1, turnover: 400 })
  expect(semiconductors!.change).toBeCloseTo(5)
  expect(cement).toMatchObject({ industry: '水泥工業', count: 1, change: null, turnover: 0 })
})
