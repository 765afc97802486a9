import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Row } from '../../../catalog/index.ts'
import { refusalOf } from '../../fixtures/publish/refusal.ts'
import { quote, trade, weekdays } from '../../fixtures/publish/rows.ts'
import { stored } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'

const TRADES = 'institutional-positioning'
const QUOTES = 'daily-prices'
const FIRMS = 'securities-firm-master'
const THEMES = 'theme-taxonomy'
let s: TestService
beforeEach(async () => {
  s = await service({ examples: false })
})
afterEach(() => s.close())

function partitionFile(rows: readonly Row[]): string {
  const file = join(s.dir, `batch-${rows.length}-${Math.random()}.ndjson`)
  writeFileSync(file, rows.map(row => JSON.stringify(row)).join('\n'))
  return file
}

const firms = (count: number, report_date = '2026-06-30'): readonly Row[] =>
  Array.from({ length: count }, (_, index) => ({ ...s.dataset(FIRMS).example[0], broker_id: String(1000 + index), report_date }))
const themes = (market: string, count: number, as_of_date = '2026-06-30'): readonly Row[] =>
  Array.from({ length: count }, (_, index) => ({
    ...s.dataset(THEMES).example[0],
    symbol: `${market === 'TWSE' ? 1 : 6}${String(index).padStart(3, '0')}`,
    market,
    as_of_date,
  }))
const quotes = (date: string, count: number, seed: number, market = 'TWSE'): readonly Row[] =>
  Array.from({ length: count }, (_, index) => quote(String(1000 + index), date, seed * 1_000 + index, { market }))

describe('a list that lost more than one row in twenty', () => {
  it('is refused, and the list served goes on answering; accepted by name it is published', async () => {
    await s.publish(FIRMS, firms(100))
    const read = async () => (await s.get(`/v2/datasets/${FIRMS}?limit=200`, s.keyOn('free'))).json().data
    const before = await read()
    const { faults } = await refusalOf(s, FIRMS, [partitionFile(firms(94))])
    expect(faults).toMatchObject([{ rule: 'row_count_drift', column: null, count: 1, samples: [{ rows: 94, served: 100 }] }])
    await s.releases.refresh()
    expect(await read()).toEqual(before)
    expect(await s.publish(FIRMS, firms(95))).toMatchObject({ status: 'published', changes: { rows_removed: 5 } })
    expect(await s.publish(FIRMS, firms(10), { accept: ['row_count_drift'] })).toMatchObject({
      status: 'published',
      changes: { rows_removed: 85 },
    })
    expect(await read()).toHaveLength(10)
  })

  it('of one market is compared with that market’s list', async () => {
    await s.publish(THEMES, [...themes('TWSE', 100), ...themes('TPEX', 20)])
    const { faults } = await refusalOf(s, THEMES, [partitionFile(themes('TPEX', 18))])
    expect(faults).toMatchObject([{ rule: 'row_count_drift', samples: [{ rows: 18, served: 20 }] }])
    expect(faults[0]!.message).toContain('TPEX')
    expect((await s.publish(THEMES, themes('TPEX', 19))).changes).toMatchObject({ rows_removed: 1 })
  })
})

describe('a list older than the one served', () => {
  it.each([
    [FIRMS, (day: string) => firms(3, day)],
    [THEMES, (day: string) => themes('TWSE', 3, day)],
  ])('of %s is refused; accepted by name it is published', async (slug, rows) => {
    await s.publish(slug, rows('2026-06-30'))
    const { faults } = await refusalOf(s, slug, [partitionFile(rows('2026-06-29'))])
    expect(faults).toMatchObject([{ rule: 'dates_backwards', count: 1 }])
    expect(JSON.stringify(faults[0]!.samples)).toMatch(/2026-06-29.*2026-06-30/)
    expect(await s.publish(slug, rows('2026-06-29'), { accept: ['dates_backwards'] })).toMatchObject({ status: 'published' })
  })
})

describe('a published day', () => {
  const days = weekdays('2026-06-15', 8)

  it.each([
    ['fewer than three quarters of', 7],
    ['more than half as many again as', 16],
  ])('with %s the rows of the days around it is refused; accepted by name it is published', async (_, count) => {
    await s.publish(
      QUOTES,
      days.slice(0, 6).flatMap((date, index) => quotes(date, 10, index + 1)),
    )
    const { faults } = await refusalOf(s, QUOTES, [partitionFile(quotes(days[6]!, count, 7))])
    expect(faults).toMatchObject([{ rule: 'row_count_drift', count, samples: [{ rows: count, median: 10 }] }])
    expect(faults[0]!.message).toContain(`TWSE ${days[6]}`)
    expect(await s.publish(QUOTES, quotes(days[6]!, count, 7), { accept: ['row_count_drift'] })).toMatchObject({ status: 'published' })
  })

  it('within those bounds, or with too few days around it to tell, is published', async () => {
    await s.publish(
      QUOTES,
      days.slice(0, 4).flatMap((date, index) => quotes(date, 10, index + 1)),
    )
    for (const [index, count] of [
      [4, 2],
      [5, 8],
      [6, 15],
    ] as const) {
      expect(await s.publish(QUOTES, quotes(days[index]!, count, index + 1))).toMatchObject({ status: 'published' })
    }
  })

  it('is compared with its own market’s days', async () => {
    await s.publish(
      QUOTES,
      days.slice(0, 6).flatMap((date, index) => quotes(date, 20, index + 1)),
    )
    expect(await s.publish(QUOTES, [quote('6488', days[0]!, 5, { market: 'TPEX' })])).toMatchObject({ status: 'published' })
  })

  it('whose rows are those of another day one by one is refused, naming both; accepted by name it is published', async () => {
    await s.publish(QUOTES, quotes('2026-06-15', 3, 1))
    const stale = quotes('2026-06-30', 3, 1)
    const { faults } = await refusalOf(s, QUOTES, [partitionFile(stale)])
    expect(faults).toMatchObject([{ rule: 'same_body', count: 3, samples: ['TWSE 2026-06-30', 'TWSE 2026-06-15'] }])
    expect(await s.publish(QUOTES, stale, { accept: ['same_body'] })).toMatchObject({ status: 'published' })
  })

  it('that equals another day but for one figure, or itself, is published', async () => {
    await s.publish(QUOTES, quotes('2026-06-15', 3, 1))
    const near = [...quotes('2026-06-16', 2, 1), quote('1002', '2026-06-16', 1)]
    expect(await s.publish(QUOTES, near)).toMatchObject({ status: 'published' })
    expect(await s.publish(QUOTES, quotes('2026-06-15', 3, 1))).toMatchObject({ status: 'unchanged' })
  })

  it('in the future is refused; accepted by name it is published', async () => {
    await s.publish(TRADES, [trade('2330', '2026-07-01', 1)])
    const ahead = [trade('2330', '2026-07-06', 2)]
    expect((await refusalOf(s, TRADES, [partitionFile(ahead)])).faults).toMatchObject([{ rule: 'future_date' }])
    expect(await s.publish(TRADES, ahead, { accept: ['future_date'] })).toMatchObject({ status: 'published' })
  })
})

describe('accepting one rule', () => {
  it('accepts no other', async () => {
    await s.publish(FIRMS, firms(100))
    const { faults } = await refusalOf(s, FIRMS, [partitionFile(firms(50, '2026-06-29'))], { accept: ['row_count_drift'] })
    expect(faults.map(({ rule }) => rule)).toEqual(['dates_backwards'])
  })

  it('can accept derived columns as an export of ours has them', async () => {
    const exported = { ...s.dataset(TRADES).example[0], buy_streak: 7 }
    expect(await s.publish(TRADES, [exported], { accept: ['derived_as_given'] })).toMatchObject({ status: 'published' })
    const { data } = (await s.get(`/v2/datasets/${TRADES}?symbol=2330`, s.keyOn('pro'))).json()
    expect(data).toEqual([exported])
  })
})

describe('samples and real rows', () => {
  it('never mix: real rows replace samples entirely, samples are refused over real rows', async () => {
    const read = async () => (await s.get(`/v2/datasets/${FIRMS}?limit=200`, s.keyOn('free'))).json()
    await s.publish(FIRMS, firms(3), { synthetic: true })
    const samples = stored(s.workspace.releases, FIRMS)
    expect([samples.manifest.synthetic, JSON.stringify((await read()).warnings)]).toEqual([true, expect.stringContaining('synthetic')])
    await s.publish(FIRMS, [{ ...firms(1)[0], broker_id: '9800' }])
    const real = stored(s.workspace.releases, FIRMS).manifest
    expect([real.synthetic, real.parent, real.statistics.rows, real.changes.rows_added]).toEqual([false, null, 1, 1])
    const body = await read()
    expect([body.data.map((row: Row) => row['broker_id']), JSON.stringify(body.warnings)]).toEqual([
      ['9800'],
      expect.not.stringContaining('synthetic'),
    ])
    expect((await refusalOf(s, FIRMS, [partitionFile(firms(200))], { synthetic: true })).faults).toMatchObject([
      { rule: 'synthetic_over_real' },
    ])
  })

  it('of a time series never mix either, in its rows or in what is derived from them', async () => {
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

  it('stay apart when real rows come that samples were derived from: those samples are unchanged', async () => {
    await s.publish(QUOTES, [quote('2330', '2026-06-30', 1_000)], { synthetic: true })
    await s.publish(TRADES, [trade('2330', '2026-06-30', 500)], { synthetic: true })
    const before = stored(s.workspace.releases, TRADES).release
    await s.publish(QUOTES, [quote('2330', '2026-06-30', 5_000)])
    expect(stored(s.workspace.releases, TRADES).release).toBe(before)
  })
})
