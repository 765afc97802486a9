import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { Row } from '../../catalog/index.ts'
import { quote, trade, weekdays } from '../fixtures/publish/rows.ts'
import { service, type TestService } from '../support.ts'

const SLUG = 'institutional-positioning'
const DAYS = weekdays('2025-10-01', 120)
const TICKERS = ['1101', '2330', '2454', '5483']

const trades = (days: readonly string[], times = 1): readonly Row[] =>
  days.flatMap((day, at) => TICKERS.map((ticker, of) => trade(ticker, day, times * (7_919 * at - 3_571 * of))))
/** A day without a volume has no volume ratios. */
const quotes = DAYS.flatMap((day, at) => TICKERS.flatMap((ticker, of) => ((at + of) % 7 === 0 ? [] : [quote(ticker, day, 1_000_003 + at)])))

let s: TestService
let key = ''
beforeAll(async () => {
  s = await service({ examples: false, inMemory: false, indexed: false })
  await publish('daily-prices', quotes)
  await publish(SLUG, trades(DAYS))
  key = s.keyOn('max')
})
afterAll(() => s.close())

async function publish(slug: string, rows: readonly Row[]): Promise<void> {
  expect((await s.publish(slug, rows, { accept: ['row_count_drift'] })).faults).toEqual([])
}

/** Reads that start and end at different rows of their keys. */
const READS = TICKERS.flatMap(ticker =>
  [
    '',
    '&limit=1',
    '&limit=33',
    '&limit=120',
    '&offset=31&limit=2',
    '&offset=40',
    '&envelope=full',
    '&format=ndjson',
    ...[
      '&columns=ticker,foreign_net_buy',
      '&sort_order=asc',
      `&end_date=${DAYS[70]}&limit=31`,
      `&start_date=${DAYS[50]}&end_date=${DAYS[90]}`,
    ],
  ].map(rest => `/v2/datasets/${SLUG}?symbol=${ticker}${rest}`),
)

/** Bodies without their request ids. */
async function bodies(key: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const url of READS) {
    const { statusCode, body, headers } = await s.get(url, key)
    expect([url, statusCode]).toEqual([url, 200])
    found.push(body.replaceAll(String(headers['x-request-id']), 'ID'))
  }
  return found
}

const bytes = (): number => s.columns.state().bytes

it('repeated reads cache row texts and return the same bytes as the engine', async () => {
  const before = await bodies(key)
  await s.columns.refresh()
  const ofRows = bytes()
  for (let times = 0; times < 2; times++) await s.get(READS[0]!, key)
  expect(bytes()).toBe(ofRows)
  expect(await bodies(key)).toEqual(before)
  expect(await bodies(key)).toEqual(before)
  const withTexts = bytes()
  expect(withTexts).toBeGreaterThan(ofRows)
  expect(await bodies(key)).toEqual(before)
  expect(bytes()).toBe(withTexts)
})

it('an appended day leaves cached rows and texts in memory, and the rows of the day are cached before they are served', async () => {
  await s.columns.refresh()
  for (let times = 0; times < 3; times++) await bodies(key)
  const before = bytes()
  const url = `/v2/datasets/${SLUG}?symbol=2330`
  const former = (await s.get(url, key)).json().data
  const [day] = weekdays('2026-07-01', 1)
  const read = vi.spyOn(s.pool, 'read')
  await publish(SLUG, trades([day!], 2))
  const served = (await s.get(url, key)).json().data
  await s.columns.refresh()
  const again = (await s.get(url, key)).json().data
  const statements = read.mock.calls.length
  read.mockRestore()
  expect(served[0]).toMatchObject({ trade_date: day })
  expect(served.slice(1)).toEqual(former.slice(0, -1))
  expect(again).toEqual(served)
  expect(statements).toBe(1)
  expect(bytes()).toBeGreaterThan(before)
})

it('a publication replaces the cached texts of changed rows', async () => {
  await s.columns.refresh()
  for (let times = 0; times < 3; times++) await bodies(key)
  await publish(SLUG, trades(DAYS.slice(60, 90), 3))
  const [url] = READS.filter(one => one.includes('start_date'))
  const revised = (await s.get(url!, key)).json().data
  await s.columns.refresh()
  for (let times = 0; times < 4; times++) expect((await s.get(url!, key)).json().data).toEqual(revised)
})
