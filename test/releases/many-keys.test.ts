import { afterAll, beforeAll, expect, it } from 'vitest'
import { trade, weekdays } from '../fixtures/publish/rows.ts'
import { service, type TestService } from '../support.ts'

const SLUG = 'institutional-positioning'
const TICKERS = Array.from({ length: 1_200 }, (_, index) => String(3_000 + index))
const DAYS = weekdays('2023-10-02', 700)

let s: TestService
beforeAll(async () => {
  s = await service({ examples: false, inMemory: false })
  const rows = [...DAYS.map(day => trade('2330', day, 5)), ...TICKERS.map(ticker => trade(ticker, DAYS.at(-2)!, 6))]
  const accept = ['row_count_drift']
  expect(await s.publish(SLUG, rows, { accept })).toMatchObject({ status: 'published' })
  const appended = [trade('2330', '2026-06-26', 7), ...TICKERS.slice(0, 900).map(ticker => trade(ticker, '2026-06-26', 8))]
  expect(await s.publish(SLUG, appended, { accept })).toMatchObject({ status: 'published' })
})
afterAll(() => s.close())

it('a release with many keys and days knows the days and rows of each key', () => {
  const { spanOf, publishedDays, completeThrough } = s.releases.current(s.dataset(SLUG))
  expect(TICKERS.map(spanOf)).toEqual(
    TICKERS.map((_, index) => (index < 900 ? [DAYS.at(-2), '2026-06-26', 2] : [DAYS.at(-2), DAYS.at(-2), 1])),
  )
  expect(spanOf('2330')).toEqual([DAYS[0], '2026-06-26', DAYS.length + 1])
  expect(spanOf('9999')).toBeUndefined()
  expect(publishedDays).toEqual([...DAYS, '2026-06-26'])
  expect(completeThrough).toBe('2026-06-26')
})
