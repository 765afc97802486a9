import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Row } from '../../catalog/index.ts'
import { trade, weekdays } from '../fixtures/publish/rows.ts'
import { service, type TestService } from '../support.ts'

const SLUG = 'institutional-positioning'
const DAYS = weekdays('2026-01-05', 60)
/** A day on which a ticker has no row until a revision adds one. */
const ADDED = DAYS[20]!
const TICKERS = ['1101', '2330']

let s: TestService
beforeAll(async () => {
  s = await service({ examples: false, inMemory: false, indexed: false, cacheBytes: 20_000 })
  const rows = (days: readonly string[], tickers = TICKERS) =>
    days.flatMap(day => tickers.map(ticker => trade(ticker, day, DAYS.indexOf(day) * 10)))
  const publish = async (added: readonly Row[]): Promise<void> =>
    expect((await s.publish(SLUG, added, { accept: ['row_count_drift', 'duplicate_body'] })).faults).toEqual([])
  await publish(rows(DAYS.slice(0, -1)).filter(({ ticker, trade_date }) => ticker !== '1101' || trade_date !== ADDED))
  await publish(rows(DAYS.slice(-1)))
  await publish(rows([ADDED]))
})
afterAll(() => s.close())

it('a read combines old rows on disk with later rows in memory', async () => {
  const read = async () => {
    const { statusCode, body } = await s.get(`/v2/datasets/${SLUG}?symbol=1101&end_date=${DAYS[40]}&limit=5`, s.keyOn('max'))
    return { statusCode, days: (JSON.parse(body).data as { trade_date: string }[]).map(row => row.trade_date) }
  }
  const { parts } = s.releases.current(s.dataset(SLUG)).manifest
  expect(parts.map(({ role, first_date }) => [role, first_date])).toContainEqual(['delta', ADDED])
  const byEngine = await read()
  expect(byEngine).toEqual({ statusCode: 200, days: DAYS.slice(36, 41).toReversed() })
  await s.columns.refresh()
  expect(s.columns.state()).toMatchObject({ whole: 0, newest: parts.length })
  expect(await read()).toEqual(byEngine)
})
