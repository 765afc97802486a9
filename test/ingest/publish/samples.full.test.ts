import { afterEach, beforeEach, expect, it } from 'vitest'
import { quote, trade } from '../../fixtures/publish/rows.ts'
import { stored } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'

const TRADES = 'institutional-positioning'
const QUOTES = 'daily-prices'
const FIRMS = 'securities-firm-master'
let s: TestService
beforeEach(async () => {
  s = await service({ examples: false })
})
afterEach(() => s.close())

it('responses warn about synthetic rows until real rows replace them', async () => {
  const [firm] = s.dataset(FIRMS).example
  const warnings = async () => JSON.stringify((await s.get(`/v2/datasets/${FIRMS}?limit=200`, s.keyOn('free'))).json().warnings)
  await s.publish(FIRMS, [firm!], { synthetic: true })
  expect(await warnings()).toContain('synthetic')
  await s.publish(FIRMS, [firm!])
  expect(await warnings()).not.toContain('synthetic')
})

it('derived columns never combine samples and real rows', async () => {
  await s.publish(QUOTES, [quote('2330', '2026-06-29', 1_000), quote('2330', '2026-06-30', 1_000)], { synthetic: true })
  await s.publish(TRADES, [trade('2330', '2026-06-29', 500)], { synthetic: true })
  const read = async () =>
    (await s.get(`/v2/datasets/${TRADES}?symbol=2330&columns=trade_date,foreign_pct,buy_streak`, s.keyOn('pro'))).json().data
  expect(await read()).toEqual([{ trade_date: '2026-06-29', foreign_pct: 0.5, buy_streak: 1 }])
  await s.publish(TRADES, [trade('2330', '2026-06-30', 250)])
  expect(await read()).toEqual([{ trade_date: '2026-06-30', foreign_pct: null, buy_streak: 1 }])
  await s.publish(QUOTES, [quote('2330', '2026-06-30', 2_000)])
  expect(await read()).toEqual([{ trade_date: '2026-06-30', foreign_pct: 0.125, buy_streak: 1 }])
})

it('when real rows replace samples, rows that were derived from the samples stay unchanged', async () => {
  await s.publish(QUOTES, [quote('2330', '2026-06-30', 1_000)], { synthetic: true })
  await s.publish(TRADES, [trade('2330', '2026-06-30', 500)], { synthetic: true })
  const before = stored(s.workspace.releases, TRADES).release
  await s.publish(QUOTES, [quote('2330', '2026-06-30', 5_000)])
  expect(stored(s.workspace.releases, TRADES).release).toBe(before)
})
