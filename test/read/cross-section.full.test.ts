import { expect, it } from 'vitest'
import { loadCatalog, type Row, served } from '../../catalog/index.ts'
import { service } from '../support.ts'

const SLUG = 'institutional-positioning'
const PATH = `/v2/datasets/${SLUG}/cross-section`
const catalog = await loadCatalog()

const flow = (ticker: string, trade_date: string): Row => ({
  ticker,
  market: 'TWSE',
  trade_date,
  foreign_net_buy: Number(ticker) + Number(trade_date.slice(-2)),
  investment_trust_net_buy: 1,
  dealer_net_buy: -1,
})

it('a cross-section is cut at the row limit of the plan', async () => {
  const t = await service({ examples: false, indexed: false })
  const { example } = t.dataset('trading-calendar')
  expect(served(catalog).find(({ slug }) => slug === 'trading-calendar')!.access!.plan).toBe('free')
  await t.publish('trading-calendar', example as readonly Row[])
  const answer = await t.get(`/v2/datasets/trading-calendar/cross-section?date=2026-06-19&limit=100000`, t.keyOn('free'))
  expect(answer.headers).toMatchObject({ 'x-row-count': '2', 'x-row-limit': '1000' })
  await t.publish(
    SLUG,
    Array.from({ length: 20_010 }, (_, index) => flow(String(10_000 + index), '2026-06-30')),
  )
  const cut = await t.get(`${PATH}?date=2026-06-30`, t.keyOn('pro'))
  expect(cut.headers).toMatchObject({
    'x-row-count': '20000',
    'x-row-limit': '20000; limited',
    link: expect.stringContaining('offset=20000'),
  })
  await t.close()
})
