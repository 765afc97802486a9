import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Row } from '../../../catalog/index.ts'
import { body, ingest, outcomes, quotesBody, t86Body } from '../../fixtures/ingest/bodies.ts'
import { releaseIds, stored, storedRows } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'

const TRADES = 'institutional-positioning'
let s: TestService
beforeAll(async () => {
  s = await service({ examples: false, indexed: false })
})
afterAll(() => s.close())

// Each test uses different days.
const read = async (day: string): Promise<readonly Row[]> =>
  (await s.get(`/v2/datasets/${TRADES}?symbol=2330,0050&start_date=${day}&end_date=${day}&sort_order=asc`, s.keyOn('pro'))).json().data
const t86 = (day: string, seed: number) => body(s, `t86-${day}.json`, t86Body(day, { '2330': [seed, 0, 0], '0050': [0, seed, 1] }))
const quotes = (day: string, volume: number, index?: number) =>
  body(s, `quotes-${day}.json`, quotesBody(day, { '2330': volume, '0050': 0 }, index))

describe('closing quotes', () => {
  it('closing quotes give the institutional trades of their day a share of volume, as a revision', async () => {
    await ingest(s, 'twse-t86', [t86('2026-06-29', 250)])
    const { publications } = await ingest(s, 'twse-quotes', [quotes('2026-06-29', 1_000, 17_000)])
    expect(publications.map(({ dataset, outcome }) => [dataset, outcome.status, outcome.changes?.kind])).toEqual([
      ['daily-prices', 'published', 'new_rows'],
      ['market-indices', 'published', 'new_rows'],
      [TRADES, 'published', 'revision'],
      ['monthly-bars', 'published', 'new_rows'],
      ['weekly-bars', 'published', 'new_rows'],
    ])
    const shares = (await read('2026-06-29')).map(row => [row['ticker'], row['foreign_pct']])
    expect(Object.fromEntries(shares)).toEqual({ '0050': null, '2330': 0.25 })
  })

  it('closing quotes of other securities leave institutional trades unchanged', async () => {
    await ingest(s, 'twse-t86', [t86('2026-06-22', 251)])
    const before = releaseIds(s.workspace.releases, TRADES)
    await ingest(s, 'twse-quotes', [body(s, 'other.json', quotesBody('2026-06-22', { '1101': 10 }))])
    expect(releaseIds(s.workspace.releases, TRADES)).toEqual(before)
    expect((await read('2026-06-22')).every(row => row['foreign_pct'] === null)).toBe(true)
  })
})

describe('bodies of two tables', () => {
  it('a body of quotes and indices is published into both datasets', async () => {
    const ingested = await ingest(s, 'twse-quotes', [quotes('2026-06-15', 1_300, 17_853)])
    expect(ingested.results.map(({ dataset, outcome, rows, date }) => [dataset, outcome, rows, date])).toEqual([
      ['daily-prices', 'published', 2, '2026-06-15'],
      ['market-indices', 'published', 1, null],
    ])
    expect(
      await storedRows(
        s.workspace.session,
        s.workspace.releases,
        'market-indices',
        'index_code, trade_date::VARCHAR AS day, value, change',
        "WHERE trade_date = '2026-06-15'",
      ),
    ).toEqual([{ index_code: 'IX0001', day: '2026-06-15', value: 17_853, change: 1 }])
  })

  it('a body of quotes without indices publishes no indices', async () => {
    await ingest(s, 'twse-quotes', [quotes('2026-06-16', 1_400, 17_900)])
    const before = stored(s.workspace.releases, 'market-indices').release
    const ingested = await ingest(s, 'twse-quotes', [quotes('2026-06-17', 1_500)])
    expect(outcomes(ingested)).toEqual([['quotes-2026-06-17.json', '2026-06-17', 'published', null]])
    expect(stored(s.workspace.releases, 'market-indices').release).toBe(before)
  })
})
