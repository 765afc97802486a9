import { expect, it } from 'vitest'
import { breadthOf, industriesOf } from '../../portal/pages/market-heat-map/tiles.ts'
import { placed, type Rect, squarified } from '../../portal/pages/market-heat-map/treemap.ts'

const areaOf = ({ width, height }: Rect): number => width * height

it('squarified areas are proportional to the values and fill the rectangle', () => {
  const values = [6, 6, 4, 3, 2, 2, 1]
  const rects = squarified(values, { left: 10, top: 20, width: 600, height: 400 })
  expect(rects.map(rect => Math.round(areaOf(rect)))).toEqual(values.map(value => value * 10_000))
  // The example of the paper: no side is more than three times as long as the other.
  for (const { width, height } of rects) expect(Math.max(width / height, height / width)).toBeLessThan(3)
  expect(Math.max(...rects.map(({ left, width }) => left + width))).toBeCloseTo(610)
  expect(Math.max(...rects.map(({ top, height }) => top + height))).toBeCloseTo(420)
})

it('squarified rectangles do not overlap', () => {
  const rects = squarified([5, 4, 3, 2, 1, 1, 1], { left: 0, top: 0, width: 300, height: 200 })
  for (const [index, one] of rects.entries())
    for (const other of rects.slice(index + 1)) {
      const isApart =
        one.left + one.width <= other.left + 1e-6 ||
        other.left + other.width <= one.left + 1e-6 ||
        one.top + one.height <= other.top + 1e-6 ||
        other.top + other.height <= one.top + 1e-6
      expect(isApart).toBe(true)
    }
})

const DAY = [
  { ticker: '2330', name: '台積電', close: 110, turnover: 600 },
  { ticker: '2454', name: '聯發科', close: 90, turnover: 300 },
  { ticker: '2303', name: '聯電', close: 50, turnover: 1 },
  { ticker: '1101', name: '台泥', close: 30, turnover: 100 },
]
const ROWS = {
  day: DAY,
  before: DAY.map(({ ticker }) => ({ ticker, close: ticker === '1101' ? 30 : 100 })),
  listed: DAY.map(({ ticker }) => ({ ticker, industry: ticker === '1101' ? '水泥工業' : '半導體業' })),
  issued: [{ ticker: '1101', issued_shares: 1_000 }],
}

it('industriesOf sizes securities by turnover or by market value', () => {
  expect(industriesOf(ROWS, 'turnover').map(({ name, size }) => [name, size])).toEqual([
    ['半導體業', 901],
    ['水泥工業', 100],
  ])
  expect(industriesOf(ROWS, 'value').map(({ name, size }) => [name, size])).toEqual([
    ['水泥工業', 30_000],
    ['半導體業', 0],
  ])
})

it('breadthOf counts rising, falling and unchanged securities', () => {
  expect(breadthOf(industriesOf(ROWS, 'turnover'))).toEqual({ up: 1, down: 2, flat: 1 })
})

it('securities too small to be drawn share one tile with their number', () => {
  const [semiconductors] = placed(industriesOf(ROWS, 'turnover'), 900, 500)
  expect(semiconductors!.tiles.map(({ tile, count }) => [tile?.ticker ?? null, count])).toEqual([
    ['2330', 1],
    ['2454', 1],
    [null, 1],
  ])
  for (const tile of semiconductors!.tiles) expect(areaOf(tile)).toBeGreaterThan(1_500)
})

it('industriesOf separates funds from stocks without a known industry', () => {
  const day = ['0050', '020000', '2881A', '9999'].map(ticker => ({ ticker, name: ticker, close: 10, turnover: 10 }))
  const listed = [{ ticker: '2881', industry: '金融保險業' }]
  const groups = industriesOf({ day, before: [], listed, issued: [] }, 'turnover')
  expect(groups.map(({ kind, name, tiles }) => [kind, name, tiles.map(({ ticker }) => ticker)])).toEqual([
    ['funds', null, ['0050', '020000']],
    ['industry', '金融保險業', ['2881A']],
    ['unknown', null, ['9999']],
  ])
})

it('small groups share one group that is not named after funds', () => {
  const [cement, chips] = [...industriesOf(ROWS, 'turnover')].sort((a, b) => a.size - b.size)
  const small = [1, 2].map(size => ({ ...cement!, name: `${size}`, size, tiles: [{ ...cement!.tiles[0]!, size }] }))
  const groups = placed([chips!, ...small], 900, 500)
  expect(groups.map(({ industry: { kind, tiles } }) => [kind, tiles.length])).toEqual([
    ['industry', 3],
    ['small', 2],
  ])
})
