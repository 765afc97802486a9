import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Row } from '../../../catalog/index.ts'
import { body, ingest, outcomes, quotesBody, t86Body } from '../../fixtures/ingest/bodies.ts'
import { releaseIds, stored, storedRows } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'

const TRADES = 'institutional-positioning'
let s: TestService
beforeEach(async () => {
  s = await service({ examples: false })
})
afterEach(() => s.close())

async function read(on = s): Promise<readonly Row[]> {
  return (await on.get(`/v2/datasets/${TRADES}?symbol=2330,0050&sort_order=asc`, on.keyOn('pro'))).json().data
}
const t86 = (on: TestService, day: string, seed: number) =>
  body(on, `t86-${day}.json`, t86Body(day, { '2330': [seed, 0, 0], '0050': [0, seed, 1] }))
const quotes = (on: TestService, day: string, volume: number, index?: number) =>
  body(on, `quotes-${day}.json`, quotesBody(day, { '2330': volume, '0050': 0 }, index))

describe('closing quotes', () => {
  it('closing quotes give institutional trades their share of volume, in any order of arrival', async () => {
    const [monday, tuesday] = ['2026-06-29', '2026-06-30']
    const found: (readonly Row[])[] = []
    for (const order of ['quotes first', 'trades first', 'in turn', 'newest first']) {
      const fresh = await service({ examples: false })
      const steps: Record<string, () => Promise<unknown>> = {
        m: () => ingest(fresh, 'twse-t86', [t86(fresh, monday, 250)]),
        t: () => ingest(fresh, 'twse-t86', [t86(fresh, tuesday, 100)]),
        M: () => ingest(fresh, 'twse-quotes', [quotes(fresh, monday, 1_000)]),
        T: () => ingest(fresh, 'twse-quotes', [quotes(fresh, tuesday, 800)]),
      }
      for (const step of { 'quotes first': 'MTmt', 'trades first': 'mtMT', 'in turn': 'mMtT', 'newest first': 'tTmM' }[order]!)
        await steps[step]!()
      found.push(await read(fresh))
      await fresh.close()
    }
    const shares = found[0]!.map(row => [
      row['ticker'],
      row['trade_date'],
      row['foreign_pct'],
      row['foreign_pct_percentile'],
      row['buy_streak'],
    ])
    expect(shares.sort()).toEqual([
      ['0050', monday, null, null, 1],
      ['0050', tuesday, null, null, 2],
      ['2330', monday, 0.25, null, 1],
      ['2330', tuesday, 0.125, 0, 2],
    ])
    for (const other of found.slice(1)) expect(other).toEqual(found[0])
  })

  it('closing quotes publish a revision of the institutional trades of their day', async () => {
    await ingest(s, 'twse-t86', [t86(s, '2026-06-29', 250)])
    const { publications } = await ingest(s, 'twse-quotes', [quotes(s, '2026-06-29', 1_000, 17_000)])
    expect(publications.map(({ dataset, outcome }) => [dataset, outcome.status, outcome.changes?.kind])).toEqual([
      ['daily-prices', 'published', 'new_rows'],
      ['market-indices', 'published', 'new_rows'],
      [TRADES, 'published', 'revision'],
    ])
  })

  it('closing quotes of other securities leave institutional trades unchanged', async () => {
    await ingest(s, 'twse-t86', [t86(s, '2026-06-29', 250)])
    await ingest(s, 'twse-quotes', [body(s, 'other.json', quotesBody('2026-06-29', { '1101': 10 }))])
    expect(releaseIds(s.workspace.releases, TRADES)).toHaveLength(1)
    expect((await read()).every(row => row['foreign_pct'] === null)).toBe(true)
  })
})

describe('bodies of two tables', () => {
  it('a body of quotes and indices is published into both datasets', async () => {
    const ingested = await ingest(s, 'twse-quotes', [quotes(s, '2026-06-29', 1_000, 17_853)])
    expect(ingested.results.map(({ dataset, outcome, rows, date }) => [dataset, outcome, rows, date])).toEqual([
      ['daily-prices', 'published', 2, '2026-06-29'],
      ['market-indices', 'published', 1, null],
    ])
    expect(
      await storedRows(
        s.workspace.session,
        s.workspace.releases,
        'market-indices',
        'index_code, trade_date::VARCHAR AS day, value, change',
      ),
    ).toEqual([{ index_code: 'IX0001', day: '2026-06-29', value: 17_853, change: 1 }])
  })

  it('a body of quotes without indices publishes no indices', async () => {
    await ingest(s, 'twse-quotes', [quotes(s, '2026-06-29', 1_000, 17_853)])
    const before = stored(s.workspace.releases, 'market-indices').release
    const ingested = await ingest(s, 'twse-quotes', [quotes(s, '2026-06-30', 1_100)])
    expect(outcomes(ingested)).toEqual([['quotes-2026-06-30.json', '2026-06-30', 'published', null]])
    expect(stored(s.workspace.releases, 'market-indices').release).toBe(before)
  })
})
