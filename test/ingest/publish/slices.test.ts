import { afterEach, beforeEach, expect, it } from 'vitest'
import { day, quote, trade } from '../../fixtures/publish/rows.ts'
import { stored } from '../../fixtures/publish/store.ts'
import { type Publisher, publisher } from './publisher.ts'

const TRADES = 'institutional-positioning'
const QUOTES = 'daily-prices'
const FIRMS = 'securities-firm-master'
const THEMES = 'theme-taxonomy'
const EVENTS = 'company-risk-events'
let s: Publisher
beforeEach(async () => {
  s = await publisher()
})
afterEach(() => s.close())

const served = async (slug: string, names: string) =>
  (await s.rows(slug, names, `ORDER BY ${names}`)).map(row => Object.values(row).join(' '))

it('publishing a day again replaces the rows of that day and market only', async () => {
  const otc = { market: 'TPEX' }
  await s.publish(TRADES, [
    ...day('2026-06-29', 1),
    ...day('2026-06-30', 2),
    trade('6488', '2026-06-30', 5, otc),
    trade('8069', '2026-06-30', 6, otc),
  ])
  const { changes } = await s.publish(TRADES, day('2026-06-30', 2, ['1101', '2330']))
  expect(changes).toEqual({
    kind: 'revision',
    rows_added: 0,
    rows_changed: 0,
    rows_removed: 1,
    date_from: '2026-06-30',
    date_to: '2026-06-30',
    reach: { added: null, changed: null, removed: ['2026-06-30', '2026-06-30'] },
  })
  expect(await served(TRADES, 'trade_date, market, ticker')).toEqual([
    ...['1101', '2330', '2454'].map(ticker => `2026-06-29 TWSE ${ticker}`),
    ...['6488', '8069'].map(ticker => `2026-06-30 TPEX ${ticker}`),
    ...['1101', '2330'].map(ticker => `2026-06-30 TWSE ${ticker}`),
  ])
  const { spans, manifest } = stored(s.workspace.releases, TRADES)
  expect([manifest.statistics.rows, spans.slices['TWSE 2026-06-30']?.[0], spans.slices['TPEX 2026-06-30']?.[0]]).toEqual([7, 2, 2])
})

it('publishing a security under the other market replaces its row of that day', async () => {
  const otc = { market: 'TPEX' }
  await s.publish(QUOTES, [quote('6488', '2026-06-29', 1_000, otc), quote('6488', '2026-06-30', 2_000, otc)])
  await s.publish(QUOTES, [quote('6488', '2026-06-30', 3_000)])
  expect(await served(QUOTES, 'ticker, trade_date, market')).toEqual(['6488 2026-06-29 TPEX', '6488 2026-06-30 TWSE'])
  expect(stored(s.workspace.releases, QUOTES).manifest.statistics).toMatchObject({ rows: 2, keys: 1 })
})

it('publishing a list again removes rows that are no longer in the list', async () => {
  const ids = Array.from({ length: 40 }, (_, index) => String(1000 + index))
  const firms = (list: readonly string[]) => list.map(broker_id => ({ ...s.dataset(FIRMS).example[0]!, broker_id }))
  await s.publish(FIRMS, firms(ids))
  const { changes } = await s.publish(FIRMS, firms([...ids.slice(1), '2000']))
  expect(changes).toMatchObject({ rows_added: 1, rows_changed: 0, rows_removed: 1 })
  expect(await served(FIRMS, 'broker_id')).toEqual([...ids.slice(1), '2000'])
  const { parts, statistics } = stored(s.workspace.releases, FIRMS).manifest
  expect([parts.length, statistics.rows, statistics.keys]).toEqual([1, 40, 40])
})

it("a list of one market replaces that market's list only", async () => {
  const theme = (symbol: string, market: string, theme_id = 'industry_24') => ({
    ...s.dataset(THEMES).example[0],
    symbol,
    market,
    theme_id,
  })
  await s.publish(THEMES, [theme('2330', 'TWSE'), theme('6488', 'TPEX'), theme('8069', 'TPEX')])
  await s.publish(THEMES, [theme('2330', 'TWSE', 'industry_01'), theme('6488', 'TWSE')])
  expect(await served(THEMES, 'symbol, market, theme_id')).toEqual([
    '2330 TWSE industry_01',
    '6488 TWSE industry_24',
    '8069 TPEX industry_24',
  ])
})

it('rows of a dataset without slices replace rows of equal grain only', async () => {
  const event = (event_date: string, description: string) => ({ ...s.dataset(EVENTS).example[0], event_date, description })
  await s.publish(EVENTS, [event('2026-06-29', 'a'), event('2026-06-30', 'b')])
  const { changes } = await s.publish(EVENTS, [event('2026-06-30', 'c'), event('2026-07-01', 'd')])
  expect(changes).toMatchObject({ rows_added: 1, rows_changed: 1, rows_removed: 0 })
  expect(await served(EVENTS, 'event_date, description')).toEqual(['2026-06-29 a', '2026-06-30 c', '2026-07-01 d'])
})
