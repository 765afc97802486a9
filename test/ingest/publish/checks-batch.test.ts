import { afterAll, beforeAll, expect, it } from 'vitest'
import { isSnapshot, type Row } from '../../../catalog/index.ts'
import { refusalOf } from '../../fixtures/publish/refusal.ts'
import { quote, trade, weekdays } from '../../fixtures/publish/rows.ts'
import { type Publisher, publisher } from './publisher.ts'

const TRADES = 'institutional-positioning'
const QUOTES = 'daily-prices'
const FIRMS = 'securities-firm-master'
const THEMES = 'theme-taxonomy'
const NAMES = 'company-names'
const days = weekdays('2026-06-15', 8)
let s: Publisher

const firms = (count: number, report_date = '2026-06-29'): readonly Row[] =>
  Array.from({ length: count }, (_, index) => ({ ...s.dataset(FIRMS).example[0], broker_id: String(1000 + index), report_date }))
const themes = (market: string, count: number, as_of_date = '2026-06-29'): readonly Row[] =>
  Array.from({ length: count }, (_, index) => ({
    ...s.dataset(THEMES).example[0],
    symbol: `${market === 'TWSE' ? 1 : 6}${String(index).padStart(3, '0')}`,
    market,
    as_of_date,
  }))
const quotes = (date: string, count: number, seed: number, market = 'TWSE'): readonly Row[] =>
  Array.from({ length: count }, (_, index) =>
    quote(String((market === 'TWSE' ? 1000 : 6000) + index), date, seed * 1_000 + index, { market }),
  )

/**
 * Served rows for every test: six days of TWSE quotes, three of TPEX, and two lists. Tests publish
 * other lists only.
 */
beforeAll(async () => {
  s = await publisher()
  await s.publishSomeCalendar()
  await s.publish(FIRMS, firms(100))
  await s.publish(THEMES, [...themes('TWSE', 100), ...themes('TPEX', 20)])
  await s.publish(QUOTES, [
    ...days.slice(0, 6).flatMap((date, index) => quotes(date, 10, index + 1)),
    ...days.slice(0, 3).flatMap((date, index) => quotes(date, 20, index + 1, 'TPEX')),
  ])
})
afterAll(() => s.close())

it('a list that lost more than one row in twenty is refused unless row_count_drift is accepted', async () => {
  const { faults } = await refusalOf(s, FIRMS, [s.partition(firms(94))])
  expect(faults).toMatchObject([{ rule: 'row_count_drift', column: null, count: 1, samples: [{ rows: 94, served: 100 }] }])
  expect(await s.check(FIRMS, firms(95))).toMatchObject({ status: 'publishable', changes: { rows_removed: 5 } })
  expect(await s.check(FIRMS, firms(10), ['row_count_drift'])).toMatchObject({ status: 'publishable', changes: { rows_removed: 90 } })
})

it("the length of one market's list is compared with the served list of that market", async () => {
  const { faults } = await s.check(THEMES, themes('TPEX', 18))
  expect(faults).toMatchObject([{ rule: 'row_count_drift', samples: [{ rows: 18, served: 20 }] }])
  expect(faults[0]!.message).toContain('TPEX')
  expect((await s.check(THEMES, themes('TPEX', 19))).changes).toMatchObject({ rows_removed: 1 })
})

it('a list older than the served list is refused unless dates_backwards is accepted', async () => {
  const older = firms(100, '2026-06-26')
  const { faults } = await s.check(FIRMS, older)
  expect(faults).toMatchObject([{ rule: 'dates_backwards', count: 1 }])
  expect(JSON.stringify(faults[0]!.samples)).toMatch(/2026-06-26.*2026-06-29/)
  expect(await s.check(FIRMS, older, ['dates_backwards'])).toMatchObject({ status: 'publishable' })
  expect((await s.check(THEMES, themes('TWSE', 100, '2026-06-26'))).faults).toMatchObject([{ rule: 'dates_backwards' }])
})

it('rows of a merged snapshot older than the served rows are refused unless dates_backwards is accepted', async () => {
  const snapshots = [...s.workspace.catalog.values()].filter(
    dataset => isSnapshot(dataset) && dataset.publish.mode === 'merge' && dataset.from === undefined,
  )
  expect(snapshots.map(({ slug }) => slug)).toContain(NAMES)
  for (const { slug, date, example } of snapshots.filter(({ slug }) => slug !== THEMES)) {
    await s.publish(slug, example)
    const older = example.map(row => ({ ...row, [date!]: '2022-06-30' }))
    const { status, faults } = await s.check(slug, older)
    expect.soft({ status, faults }, slug).toMatchObject({
      status: 'refused',
      faults: [{ rule: 'dates_backwards', count: example.length, source: 0, column: date, accept: 'dates_backwards' }],
    })
    expect.soft(await s.check(slug, older, ['dates_backwards']), slug).toMatchObject({ status: 'publishable' })
    expect.soft(await s.check(slug, [...example]), slug).toMatchObject({ status: 'unchanged' })
  }
})

it('a table of monthly revenue that was produced before the served table replaces no row', async () => {
  const produced = (report_date: string, remark: string): Row => ({ ...s.dataset('monthly-revenue').example[0], report_date, remark })
  await s.publish('monthly-revenue', [produced('2026-06-12', 'restated')])
  const older = [produced('2026-06-10', 'as first reported')]
  const { status, faults } = await s.check('monthly-revenue', older)
  expect({ status, faults }).toMatchObject({ status: 'refused', faults: [{ rule: 'dates_backwards', count: 1, column: 'report_date' }] })
  expect(await s.check('monthly-revenue', older, ['dates_backwards'])).toMatchObject({ status: 'publishable' })
})

it('ingesting a register of an earlier year changes no name', async () => {
  const register = (day: string, name: string): string =>
    s.file(`register-${day}.csv`, `出表日期,公司代號,公司簡稱,英文簡稱\n${day},2883,${name},KGI\n`)
  expect((await s.ingest('companies', [register('1150629', '凱基金')], undefined, ['row_count_drift'])).results).toMatchObject([
    { outcome: 'published' },
  ])
  const { results } = await s.ingest('companies', [register('1110629', '開發金')])
  expect(results).toMatchObject([{ outcome: 'refused', said: 'dates_backwards', quarantined: expect.any(String) }])
  expect(await s.rows(NAMES, 'name', "WHERE ticker = '2883'")).toEqual([{ name: '凱基金' }])
})

it('the first list of a feed is refused unless it is as long as a complete list, or row_count_drift is accepted', async () => {
  const empty = await publisher()
  const heads = { 1: '上市', 6: '上櫃' }
  const listed = (first: 1 | 6, count: number): string =>
    Array.from({ length: count }, (_, index) => `${first}${String(index).padStart(3, '0')},範例,半導體業,${heads[first]}\n`).join('')
  const list = (name: string, lines: string): string => empty.file(name, `code,name,industry,market\n${lines}`)
  const securities = async (file: string, accept: readonly string[] = []) =>
    (await empty.ingest('isin', [file], '2026-06-30', accept)).results.filter(({ dataset }) => dataset === 'listed-securities')
  try {
    const [result] = await securities(list('one.csv', listed(1, 1)))
    expect(result).toMatchObject({ outcome: 'refused', said: 'row_count_drift', message: expect.stringContaining('at least 500') })
    expect(await securities(list('twse.csv', listed(1, 500)))).toMatchObject([{ outcome: 'published' }])
    const half = list('tpex.csv', listed(6, 499))
    expect(await securities(half)).toMatchObject([{ outcome: 'refused', message: expect.stringContaining('TPEX') }])
    expect(await securities(half, ['row_count_drift'])).toMatchObject([{ outcome: 'published' }])
  } finally {
    await empty.close()
  }
})

it('a day with under 75% or over 150% of the median row count of days around it is refused', async () => {
  for (const count of [7, 16]) {
    const { faults } = await s.check(QUOTES, quotes(days[6]!, count, 7))
    expect.soft(faults, `${count} rows`).toMatchObject([{ rule: 'row_count_drift', count, samples: [{ rows: count, median: 10 }] }])
    expect.soft(faults[0]?.message, `${count} rows`).toContain(`TWSE ${days[6]}`)
  }
  expect(await s.check(QUOTES, quotes(days[6]!, 7, 7), ['row_count_drift'])).toMatchObject({ status: 'publishable' })
  for (const count of [8, 15])
    expect.soft(await s.check(QUOTES, quotes(days[6]!, count, 7)), `${count} rows`).toMatchObject({ status: 'publishable', faults: [] })
})

it("a day's row count is compared with days of its own market, and only if there are at least five of them", async () => {
  expect(await s.check(QUOTES, quotes(days[6]!, 2, 7, 'TPEX'))).toMatchObject({ status: 'publishable', faults: [] })
})

it('unless same_body is accepted, a day is refused if all its rows equal another day, and the error names both days', async () => {
  const stale = quotes(days[6]!, 10, 1)
  const { status, faults } = await s.check(QUOTES, stale)
  expect([status, faults]).toMatchObject(['refused', [{ rule: 'same_body', count: 10, samples: [`TWSE ${days[6]}`, `TWSE ${days[0]}`] }]])
  expect(await s.check(QUOTES, stale, ['same_body'])).toMatchObject({ status: 'publishable' })
})

it('a day that differs from another day in one figure is publishable, and a repeated day changes nothing', async () => {
  const near = [...quotes(days[6]!, 9, 1), quote('1009', days[6]!, 1)]
  expect(await s.check(QUOTES, near)).toMatchObject({ status: 'publishable', faults: [] })
  expect(await s.check(QUOTES, quotes(days[0]!, 10, 1))).toMatchObject({ status: 'unchanged', faults: [] })
})

it('a future day is refused unless future_date is accepted', async () => {
  const ahead = [trade('2330', '2026-07-06', 2)]
  expect((await s.check(TRADES, ahead)).faults).toMatchObject([{ rule: 'future_date' }])
  expect(await s.check(TRADES, ahead, ['future_date'])).toMatchObject({ status: 'publishable' })
})

it('accepting one rule does not accept another rule', async () => {
  const { faults } = await s.check(FIRMS, firms(50, '2026-06-26'), ['row_count_drift'])
  expect(faults.map(({ rule }) => rule)).toEqual(['dates_backwards'])
})

it('if derived_as_given is accepted, the derived values of an export are published unchanged', async () => {
  const exported: Row = { ...s.dataset(TRADES).example[0], buy_streak: 7 }
  expect(await s.publish(TRADES, [exported], { accept: ['derived_as_given'] })).toMatchObject({ status: 'published' })
  expect(await s.rows(TRADES, 'ticker, buy_streak::INTEGER AS buy_streak')).toEqual([{ ticker: exported['ticker'], buy_streak: 7 }])
})
