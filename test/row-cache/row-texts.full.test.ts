import { afterEach, expect, it, vi } from 'vitest'
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
afterEach(async () => {
  vi.restoreAllMocks()
  await s.close()
})

async function open(cacheBytes: number): Promise<string> {
  s = await service({ examples: false, inMemory: false, cacheBytes })
  await publish('daily-prices', quotes)
  await publish(SLUG, trades(DAYS))
  return s.keyOn('max')
}

async function publish(slug: string, rows: readonly Row[]): Promise<void> {
  expect((await s.publish(slug, rows, { accept: ['row_count_drift'] })).faults).toEqual([])
}

/** A service with memory for all rows, and for `more` bytes of text. */
async function openWithRoom(more: number): Promise<{ readonly key: string; readonly ofRows: number }> {
  await open(2 ** 26)
  await s.columns.refresh()
  const ofRows = bytes()
  await s.close()
  // Some memory is reserved before the rows are read, for the estimated number of rows.
  const key = await open(ofRows + more)
  await s.columns.refresh()
  expect(bytes()).toBe(ofRows)
  return { key, ofRows }
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

it('cached row texts use only the memory that cached rows leave free', async () => {
  const { key, ofRows } = await openWithRoom(40_000)
  for (let times = 0; times < 3; times++) await bodies(key)
  expect(bytes()).toBeGreaterThan(ofRows)
  expect(bytes()).toBeLessThanOrEqual(ofRows + 40_000)
})

it('cached row texts that were not used for a minute are evicted to make space for others', async () => {
  const { key } = await openWithRoom(40_000)
  const read = async (ticker: string): Promise<void> => {
    for (let times = 0; times < 3; times++) await s.get(`/v2/datasets/${SLUG}?symbol=${ticker}&limit=120`, key)
  }
  for (const ticker of TICKERS) await read(ticker)
  const full = bytes()
  await read('5483')
  expect(bytes()).toBe(full)
  const now = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => now() + 61_000)
  await read('5483')
  const after = bytes()
  expect(after).not.toBe(full)
  await read('5483')
  expect(bytes()).toBe(after)
})

it('no row texts are cached if some rows do not fit in memory', async () => {
  const key = await open(30_000)
  await s.columns.refresh()
  const ofRows = bytes()
  for (let times = 0; times < 3; times++) await s.get(READS[1]!, key)
  expect(bytes()).toBe(ofRows)
})
