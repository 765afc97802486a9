import { mkdtempSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Dataset, loadCatalog, type Row } from '../../../catalog/index.ts'
import { declarationFault, inComputingOrder, publishComputed } from '../../../ingest/derive/index.ts'
import { EMPTY_CALENDAR } from '../../../ingest/publish/index.ts'
import { addDays } from '../../../src/core/index.ts'
import { twmd } from '../../fixtures/cli/in-process.ts'
import { change, DAYS, exDay, quotes } from '../../fixtures/ingest/events.ts'
import { stored } from '../../fixtures/publish/store.ts'
import { dataFolder, openTestWorkspace, publishRows, service, type TestService } from '../../support.ts'
import { adjustedPricesOn, changesOf, LONG_AGO } from './adjusted.ts'

let s: TestService
let a: ReturnType<typeof adjustedPricesOn>
const read = async (slug: string, symbol: string): Promise<readonly Row[]> =>
  (await s.get(`/v2/datasets/${slug}?symbol=${symbol}&sort_order=asc&limit=1000`, s.keyOn('pro'))).json().data
const manifestOf = (slug: string) => stored(join(s.dir, 'releases'), slug).manifest
const partsOf = (slug: string): readonly string[] => manifestOf(slug).parts.map(({ sha256 }) => sha256)
/** Serves an earlier release of a dataset with the command, and waits until it is served. */
async function serveAgain(slug: string, release: string): Promise<string> {
  const { code, stdout, stderr } = await twmd(s.dir, 'releases', 'serve', slug, release)
  expect(code, stderr).toBe(0)
  await s.releases.refresh()
  await s.columns.refresh()
  return stdout
}

describe('weekly and monthly bars', () => {
  beforeAll(async () => {
    s = await service({ examples: false, indexed: false })
    a = adjustedPricesOn(s)
    await a.publish('daily-prices', [...quotes('2330', [100, 110, null, 90, 95]), ...quotes('2317', [50])])
  })
  afterAll(() => s.close())

  it('weekly and monthly bars have the first open, highest high, lowest low, last close and the sums of their period', async () => {
    const bar = { last_date: DAYS[4], open: 100, high: 110, low: 90, close: 95, volume: 4_000, turnover: 0, traded_days: 4 }
    expect(await read('weekly-bars', '2330')).toEqual([{ ticker: '2330', market: 'TWSE', ...bar }])
    expect(await read('monthly-bars', '2330')).toEqual([{ ticker: '2330', market: 'TWSE', ...bar }])
    expect(await read('weekly-bars', '2317')).toMatchObject([{ last_date: DAYS[4], close: 50, traded_days: 1 }])
  })

  it('the manifest of weekly bars names the release of their input and their SQL statement', () => {
    expect(manifestOf('weekly-bars').sources).toMatchObject([
      { name: `daily-prices ${manifestOf('daily-prices').release}`, read_as: 'release', rows: 2 },
      { name: 'SQL of weekly-bars', read_as: 'sql', rows: 0 },
    ])
  })

  it('an appended day adds the bars of its week and leaves earlier weeks unchanged', async () => {
    const appended = await a.publish('daily-prices', quotes('2330', [97], { from: 5 }))
    expect(changesOf(appended)).toMatchObject({
      'weekly-bars': { rows_added: 1, rows_changed: 0, rows_removed: 0 },
      'monthly-bars': { rows_added: 2, rows_changed: 0, rows_removed: 2 },
    })
    expect(await read('weekly-bars', '2330')).toMatchObject([{ close: 95 }, { last_date: DAYS[5], open: 97, traded_days: 1 }])
    expect(await read('monthly-bars', '2317')).toMatchObject([{ last_date: DAYS[5], close: 50, traded_days: 1 }])
  })

  it('a revised day changes only the bars that contain it, and serving the previous release again restores these bars', async () => {
    const before = { release: manifestOf('daily-prices').release, bars: await read('weekly-bars', '2330') }
    const revised = await a.publish('daily-prices', quotes('2317', [55]).concat(quotes('2330', [100])))
    expect(changesOf(revised)).toMatchObject({
      'weekly-bars': { rows_added: 0, rows_changed: 1, rows_removed: 0, date_from: DAYS[4], date_to: DAYS[4] },
      'monthly-bars': { rows_changed: 1 },
    })
    expect(await read('weekly-bars', '2317')).toMatchObject([{ open: 55, close: 55 }])
    const output = await serveAgain('daily-prices', before.release)
    expect(output).toContain('published weekly-bars: 0 rows added, 1 changed, 0 removed')
    expect(output).not.toContain('Not changed: weekly-bars')
    expect(await read('weekly-bars', '2317')).toMatchObject([{ open: 50, close: 50 }])
    expect(await read('weekly-bars', '2330')).toEqual(before.bars)
    expect(manifestOf('weekly-bars').sources[0]!.name).toBe(`daily-prices ${before.release}`)
  })

  it('if the only quotes of a week are removed, the week has no bar', async () => {
    const added = await a.publish('daily-prices', quotes('8888', [10], { from: 6 }))
    expect(changesOf(added)).toMatchObject({ 'weekly-bars': { rows_added: 2, rows_removed: 1 } })
    const [first] = stored(join(s.dir, 'releases'), 'daily-prices').manifest.parent!.split(' ')
    await serveAgain('daily-prices', first!)
    expect(await read('weekly-bars', '8888')).toEqual([])
  })

  it('twmd publish recomputes a derived dataset that was rolled back, and otherwise reports that it is up to date', async () => {
    const { release, parent } = manifestOf('weekly-bars')
    await serveAgain('weekly-bars', parent!)
    const again = await twmd(s.dir, 'publish', 'weekly-bars')
    expect(again.stdout).toContain('published weekly-bars')
    expect(manifestOf('weekly-bars').release).not.toBe(release)
    expect((await twmd(s.dir, 'publish', 'weekly-bars')).stdout).toContain('up to date with its inputs')
  })
})

describe('returns and limit moves', () => {
  beforeAll(async () => {
    s = await service({ examples: false, indexed: false })
    a = adjustedPricesOn(s)
    await a.publish('ex-rights', LONG_AGO)
    await a.publish('capital-changes', [change('1101', '2026-06-29', 20, 40)])
    await a.publish('daily-prices', [...quotes('2330', [100, 102, 112, 100.5]), ...quotes('2317', [50, 55, null, 49.5])])
  })
  afterAll(() => s.close())

  it('a return is the quotient of two adjusted closes, and null without trades', async () => {
    expect((await read('returns', '2330')).map(({ return_1d }) => return_1d)).toEqual([null, 2, 9.8039, -10.2679])
    expect((await read('returns', '2317')).map(({ return_1d }) => return_1d)).toEqual([null, 10, null, null])
  })

  it('a limit price is 10 % above or below the previous close, rounded to the tick towards the close', async () => {
    // 102 × 1.1 = 112.2, in ticks of 0.5. 55 × 0.9 = 49.5; the day before had no trades.
    expect(await read('limit-moves', '2330')).toMatchObject([
      { trade_date: DAYS[2], reference_price: 102, limit_up: 112, limit_down: 91.8, touched: 'up', closed: 'up' },
      { trade_date: DAYS[3], reference_price: 112, limit_up: 123, limit_down: 101, touched: 'down', closed: 'down' },
    ])
    expect(await read('limit-moves', '2317')).toMatchObject([
      { trade_date: DAYS[1], limit_up: 55, touched: 'up' },
      { trade_date: DAYS[3], limit_down: 49.5, touched: 'down' },
    ])
  })

  it('appending a day computes only the rows of that day', async () => {
    const before = partsOf('returns')
    const appended = await a.publish('daily-prices', [...quotes('2330', [101], { from: 4 }), ...quotes('2317', [50], { from: 4 })])
    expect(changesOf(appended)).toMatchObject({
      returns: { rows_added: 2, rows_changed: 0, rows_removed: 0, date_from: DAYS[4], date_to: DAYS[4] },
    })
    expect(before.every(sha256 => partsOf('returns').includes(sha256))).toBe(true)
    expect((await read('returns', '2330')).at(-1)).toMatchObject({ return_1d: 0.4975 })
  })

  it('publishing an ex-day computes the history of its security only, with the reference price and limits', async () => {
    const other = await read('returns', '2317')
    await a.publish('daily-prices', quotes('2330', [104.5], { from: 5 }))
    const event = await a.publish('ex-rights', [
      { ...exDay('2330', DAYS[5]!, 101, 95), opening_reference: 95, limit_up: 104.5, limit_down: 85.5 },
    ])
    expect(changesOf(event)).toMatchObject({
      returns: { rows_added: 0, rows_changed: 1, rows_removed: 0 },
      'limit-moves': { rows_added: 1 },
    })
    expect(await read('returns', '2317')).toEqual(other)
    expect((await read('returns', '2330')).at(-1)).toMatchObject({ return_1d: 10 })
    expect((await read('limit-moves', '2330')).at(-1)).toMatchObject({
      trade_date: DAYS[5],
      reference_price: 95,
      limit_up: 104.5,
      closed: 'up',
    })
  })
})

describe('concentration and market values', () => {
  beforeAll(async () => {
    s = await service({ examples: false, indexed: false })
    a = adjustedPricesOn(s)
  })
  afterAll(() => s.close())

  it('large holders are the holders of levels 12 to 15, and after a new week only that week is computed', async () => {
    const [row] = s.dataset('shareholder-distribution').example
    const week = (day: string, holders: Readonly<Record<number, readonly [number, number]>>): readonly Row[] =>
      Object.entries(holders).map(([level, [count, shares]]) => ({
        ticker: row!['ticker' as never],
        week_date: day,
        level: Number(level),
        holders: count,
        shares,
        percent: 0,
      }))
    await a.publish('shareholder-distribution', week('2026-06-18', { 11: [9, 900], 12: [4, 400], 15: [2, 300], 17: [15, 1_600] }))
    const added = await a.publish(
      'shareholder-distribution',
      week('2026-06-26', { 11: [9, 900], 14: [1, 100], 15: [1, 200], 17: [11, 1_200] }),
    )
    expect(changesOf(added)).toMatchObject({ 'holder-concentration': { rows_added: 1, rows_changed: 0, date_from: '2026-06-26' } })
    expect(await read('holder-concentration', '2330')).toMatchObject([
      { holders_400: 6, shares_400: 700, percent_400: 43.75, holders_1000: 2, shares_1000: 300, percent_1000: 18.75, total_shares: 1_600 },
      { holders_400: 2, shares_400: 300, percent_400: 25, holders_1000: 1, shares_1000: 200, percent_1000: 16.6667, total_holders: 11 },
    ])
  })

  it('weights are shares of the market value of a day, and after a revision only the revised day is computed', async () => {
    const [holding] = s.dataset('foreign-holding').example
    const holdingOf = (ticker: string, day: string, issued_shares: number): Row => ({
      ...(holding as Row),
      ticker,
      trade_date: day,
      issued_shares,
      held_shares: 0,
      available_shares: issued_shares,
    })
    await a.publish('daily-prices', [...quotes('2330', [100, 110]), ...quotes('2317', [50, 50])])
    await a.publish(
      'foreign-holding',
      [0, 1].flatMap(n => [holdingOf('2330', DAYS[n]!, 30), holdingOf('2317', DAYS[n]!, 20)]),
    )
    expect(await read('market-value-weights', '2317')).toMatchObject([
      { market_value: 1_000, weight_percent: 25, rank: 2 },
      { market_value: 1_000, weight_percent: 23.255814, rank: 2 },
    ])
    const revised = await a.publish('daily-prices', [...quotes('2330', [20]), ...quotes('2317', [50])])
    expect(changesOf(revised)).toMatchObject({
      'market-value-weights': { rows_added: 0, rows_changed: 2, date_from: DAYS[0], date_to: DAYS[0] },
    })
    expect(await read('market-value-weights', '2317')).toMatchObject([{ weight_percent: 62.5, rank: 1 }, { weight_percent: 23.255814 }])
  })
})

describe('lending utilisation, valuation percentiles and revenue highs', () => {
  beforeAll(async () => {
    s = await service({ examples: false, indexed: false })
    a = adjustedPricesOn(s)
  })
  afterAll(() => s.close())

  /** Example rows of a dataset, one for each object, with these values. */
  const rowsOf = (slug: string, values: readonly Row[]): readonly Row[] => {
    const [example] = s.dataset(slug).example as readonly Row[]
    const { derived, columns } = { derived: new Set<string>(), columns: s.dataset(slug).columns }
    for (const [name, column] of Object.entries(columns)) if (column.derived !== undefined) derived.add(name)
    return values.map(row => Object.fromEntries(Object.entries({ ...example, ...row }).filter(([name]) => !derived.has(name))))
  }
  const lent = (day: string, sold: number, limit: number | null): Row => ({
    trade_date: day,
    previous_balance: 1_000,
    sold,
    returned: 0,
    adjusted: 0,
    balance: 1_000 + sold,
    next_day_limit: limit,
    margin_short_previous_balance: 500,
    margin_short_sold: 0,
    margin_short_bought: 0,
    margin_short_returned: 0,
    margin_short_balance: 500,
    margin_short_limit: 10_000,
  })

  it('lending sales are compared with the limit of the previous row, and balances with issued shares', async () => {
    await a.publish('foreign-holding', rowsOf('foreign-holding', [{ trade_date: DAYS[0]!, issued_shares: 100_000 }]))
    await a.publish('securities-lending', rowsOf('securities-lending', [lent(DAYS[0]!, 100, 400)]))
    const appended = await a.publish('securities-lending', rowsOf('securities-lending', [lent(DAYS[1]!, 300, null)]))
    expect(changesOf(appended)).toMatchObject({ 'lending-utilisation': { rows_added: 1, rows_changed: 0, rows_removed: 0 } })
    const percentages = { borrowed_balance: 1_100, borrowed_percent: 1.1, short_percent: 1.6, margin_short_used_percent: 5 }
    const [first, second] = await read('lending-utilisation', '2330')
    expect(first).toMatchObject({ ...percentages, day_limit: null, limit_used_percent: null })
    expect(second).toMatchObject({ day_limit: 400, limit_used_percent: 75, issued_shares: null, borrowed_percent: null })
    const later = await a.publish('foreign-holding', rowsOf('foreign-holding', [{ trade_date: DAYS[1]!, issued_shares: 130_000 }]))
    expect(changesOf(later)).toMatchObject({ 'lending-utilisation': { rows_added: 0, rows_changed: 1 } })
    expect((await read('lending-utilisation', '2330'))[1]).toMatchObject({ borrowed_percent: 1, issued_shares: 130_000 })
  })

  it('a valuation percentile is the share of lower values in its range, in a whole history and on an appended day', async () => {
    const days = Array.from({ length: 62 }, (_, n) => addDays('2026-04-30', n))
    const ratio = (n: number): number | null => (n === 5 ? null : ((n * 37) % 62) + 1)
    const all = rowsOf(
      'valuation',
      days.map((trade_date, n) => ({ trade_date, pe_ratio: ratio(n), pb_ratio: 1, dividend_yield: n })),
    )
    await a.publish('valuation', all.slice(0, -1))
    const appended = await a.publish('valuation', all.slice(-1))
    expect(changesOf(appended)).toMatchObject({ 'valuation-percentiles': { rows_added: 1, rows_changed: 0, rows_removed: 0 } })
    const percentile = (values: readonly (number | null)[]): number | null => {
      const present = values.filter(value => value !== null)
      const last = values.at(-1)!
      return present.length < 60 || last === null ? null : (100 * present.filter(value => value < last).length) / (present.length - 1)
    }
    const served = await read('valuation-percentiles', '2330')
    for (const [n, row] of served.entries()) {
      const expected = percentile(days.slice(0, n + 1).map((_, earlier) => ratio(earlier)))
      const rounded = expected === null ? null : Math.round(expected * 10_000) / 10_000
      expect(row, `row ${n}`).toMatchObject({ pe_percentile_1y: rounded, pe_percentile_5y: rounded })
      expect(row, `row ${n}`).toMatchObject({ pb_percentile_1y: n < 59 ? null : 0, yield_percentile_5y: n < 59 ? null : 100 })
    }
    expect(served.filter(row => row['pe_percentile_1y'] !== null)).toHaveLength(2)
  })

  it('a revenue high exceeds all earlier months, and a revised month computes the highs of its company', async () => {
    const revenueOf = (n: number): number => 100 + (n === 3 ? 500 : n)
    const month = (n: number, revenue: number): Row => {
      const period_end = addDays(`${monthName(n + 1)}-01`, -1)
      return { month: monthName(n), period_end, revenue, report_date: addDays(period_end, 12) }
    }
    const months = Array.from({ length: 17 }, (_, n) => month(n, revenueOf(n)))
    await a.publish('monthly-revenue', rowsOf('monthly-revenue', months))
    const highs = async () =>
      (await read('revenue-highs', '2330')).map(({ month, highest_12m, highest_on_record, highest_same_month }) => [
        month,
        highest_12m,
        highest_on_record,
        highest_same_month,
      ])
    // Until April 2026, the last 12 months include April 2025.
    expect(await highs()).toEqual([
      ['2026-01', false, false, true],
      ['2026-02', false, false, true],
      ['2026-03', false, false, true],
      ['2026-04', true, false, false],
      ['2026-05', true, false, true],
    ])
    await a.publish('monthly-revenue', rowsOf('monthly-revenue', [month(3, 50)]))
    expect(await highs()).toEqual([
      ['2025-12', true, true, null],
      ...['2026-01', '2026-02', '2026-03', '2026-04', '2026-05'].map(name => [name, true, true, true]),
    ])
  })
})

/** The month that is `n` months after January 2025. */
const monthName = (n: number): string => `${2025 + Math.floor(n / 12)}-${String((n % 12) + 1).padStart(2, '0')}`

describe('the declaration of a computed dataset', () => {
  let folder: Awaited<ReturnType<typeof dataFolder>>
  beforeAll(async () => {
    folder = await dataFolder()
    s = await service({ examples: false, indexed: false })
    a = adjustedPricesOn(s)
    await a.publish('daily-prices', [...quotes('2330', [100, 101]), ...quotes('2317', [50, 51])])
  })
  afterAll(() => Promise.all([s.close(), folder.remove()]))

  /** Loads a catalog of daily prices and weekly bars with another `from`, and other changes. */
  async function declared(from: string, more = ''): Promise<{ readonly catalog: ReadonlyMap<string, Dataset>; readonly dataset: Dataset }> {
    const dir = mkdtempSync(join(folder.dir, 'datasets-'))
    const original = (slug: string): string => pathToFileURL(resolve(`catalog/datasets/${slug}.ts`)).href
    writeFileSync(join(dir, 'daily-prices.ts'), `export { default } from '${original('daily-prices')}'\n`)
    writeFileSync(
      join(dir, 'weekly-bars.ts'),
      `import dataset from '${original('weekly-bars')}'\nexport default { ...dataset, from: { ...dataset.from, ${from} } ${more} }\n`,
    )
    const catalog = await loadCatalog(pathToFileURL(`${dir}/`))
    return { catalog, dataset: catalog.get('weekly-bars')! }
  }

  it.each([
    ["inputs: ['weekly-prices']", '', 'weekly-bars.ts: from.inputs contains the unknown dataset weekly-prices'],
    ["inputs: ['daily-prices', 'weekly-bars']", '', 'weekly-bars.ts: from.inputs is a cycle: weekly-bars is computed from weekly-bars'],
    ["by: 'key'", ', key: undefined', "weekly-bars.ts: from.by is 'key', but the dataset declares no key"],
    ["by: 'key'", ", key: 'last_date'", "weekly-bars.ts: from.by is 'key', but the key of the input daily-prices is ticker, not last_date"],
    ["by: 'daily'", '', "weekly-bars.ts: from.by is 'daily'; use one of day, week, month, key, whole"],
    ["by: 'day'", ', date: undefined', "weekly-bars.ts: from.by is 'day', but the dataset declares no date"],
    ["by: 'whole', lookback: { rows: 1 }", '', "weekly-bars.ts: from.lookback requires by: 'key', but by is 'whole'"],
    ["optional: ['returns']", '', 'weekly-bars.ts: from.optional contains returns, which is not in from.inputs'],
    [
      "by: 'key', lookback: { rows: 1 }, optional: ['daily-prices']",
      '',
      'weekly-bars.ts: from.lookback counts rows of daily-prices, so it cannot be optional',
    ],
  ])('a declaration with from { %s }%s is refused: %s', async (from, more, message) => {
    await expect(declared(from, more)).rejects.toThrow(message)
  })

  it.each([
    ["sql: 'SELEC 1'", 'weekly-bars.ts: the SQL of from.sql does not run: Parser Error: syntax error at or near'],
    [
      "sql: 'SELECT * FROM monthly_revenue'",
      'weekly-bars.ts: the SQL of from.sql does not run: Catalog Error: Table with name monthly_revenue does not exist.',
    ],
    [
      "sql: dataset.from.sql.replace('count(close) AS traded_days', 'count(close) AS days')",
      'the SQL of from.sql returns columns that the dataset does not declare: days.',
    ],
    [
      "sql: dataset.from.sql.replace(', count(close) AS traded_days', '')",
      'the SQL of from.sql does not return the declared columns traded_days.',
    ],
    [
      "sql: dataset.from.sql.replace('sum(volume)', 'avg(volume)')",
      'the SQL of from.sql returns volume as DOUBLE, but the dataset declares it as integer; cast it to BIGINT.',
    ],
    [
      "by: 'key', lookback: { rows: 1, lastDay: 'SELECT ticker FROM daily_prices' }",
      'the SQL of from.lookback.lastDay does not return the declared columns market, last_date, open, high, low, close, volume, turnover, traded_days.',
    ],
  ])('a declaration with %s is refused at publication: %s', async (from, message) => {
    const { catalog, dataset } = await declared(from)
    const fault = await declarationFault(s.workspace.session, catalog, inComputingOrder(catalog)[0]!)
    expect(fault!.en).toContain(message)
    const [publication] = await publishComputed({ ...s.workspace, catalog }, EMPTY_CALENDAR, [], [dataset.slug])
    expect(publication!.outcome).toMatchObject({ status: 'refused', faults: [{ rule: 'declaration', message: fault!.en }] })
  })

  it('a computed dataset is refused if its statement returns rows of another week', async () => {
    const { catalog } = await declared("sql: dataset.from.sql.replace('max(trade_date) AS last_date', 'max(trade_date) + 7 AS last_date')")
    const [publication] = await publishComputed({ ...s.workspace, catalog }, EMPTY_CALENDAR, ['daily-prices'])
    expect(publication!.outcome).toMatchObject({
      status: 'refused',
      faults: [{ rule: 'computation', count: 2, message: expect.stringContaining('2 rows of another week than the rows that it read') }],
    })
  })

  it('a dataset computes all rows again after its statement changed', async () => {
    for (const by of ['day', 'key', 'whole'] as const) {
      const doubled = `by: '${by}', sql: "SELECT ticker, market, trade_date AS last_date, open, high, low, 2 * close AS close, volume, turnover, 1 AS traded_days FROM daily_prices"`
      const { catalog } = await declared(doubled)
      const workspace = { ...s.workspace, catalog }
      const [first] = await publishComputed(workspace, EMPTY_CALENDAR, ['daily-prices'])
      expect(['published', 'unchanged'], by).toContain(first!.outcome.status)
      expect(await publishComputed(workspace, EMPTY_CALENDAR, ['daily-prices']), by).toEqual([])
      await s.releases.refresh()
      await s.columns.refresh()
      expect(
        (await read('weekly-bars', '2330')).map(({ close }) => close),
        by,
      ).toEqual([200, 202])
    }
  })

  it.each([
    ['day', 103, [`2330 ${DAYS[0]}`, `2317 ${DAYS[0]}`]],
    ['key', 104, [`2330 ${DAYS[0]}`, `2330 ${DAYS[1]}`]],
    ['whole', 105, [`2330 ${DAYS[0]}`, `2330 ${DAYS[1]}`, `2317 ${DAYS[0]}`, `2317 ${DAYS[1]}`]],
  ])('with by: %s, revising a close to %i computes exactly the rows %j again', async (by, close, expected) => {
    // A row gets another random volume whenever it is computed, which shows the rows that were
    // computed.
    const { catalog } = await declared(
      `by: '${by}', sql: "SELECT ticker, market, trade_date AS last_date, open, high, low, close, (1000000000 * random())::BIGINT AS volume, turnover, 1 AS traded_days FROM daily_prices"`,
    )
    const workspace = { ...s.workspace, catalog }
    const volumes = async (): Promise<ReadonlyMap<string, unknown>> => {
      await s.releases.refresh()
      await s.columns.refresh()
      const rows = [...(await read('weekly-bars', '2330')), ...(await read('weekly-bars', '2317'))]
      return new Map(rows.map(row => [`${row['ticker']} ${row['last_date']}`, row['volume']]))
    }
    await publishComputed(workspace, EMPTY_CALENDAR, ['daily-prices'])
    const before = await volumes()
    const revised = [...quotes('2330', [close]), ...quotes('2317', [50])]
    const { followUps } = await publishRows(workspace, s.dir, s.dataset('daily-prices'), revised, { accept: ['same_body'] })
    expect(followUps).toMatchObject([{ dataset: 'weekly-bars', outcome: { status: 'published' } }])
    const after = await volumes()
    expect([...after.keys()].filter(row => before.get(row) !== after.get(row)).sort()).toEqual(expected.toSorted())
  })

  it('a computed dataset without rows has no release, and a dataset that loses all its rows has an empty release', async () => {
    const { catalog } = await declared(
      `by: 'whole', sql: "SELECT ticker, market, trade_date AS last_date, open, high, low, close, volume, turnover, 1 AS traded_days FROM daily_prices WHERE close > 1000"`,
    )
    const other = await dataFolder()
    const workspace = { ...(await openTestWorkspace(other.dir)), catalog }
    const publish = async (close: number) => {
      const { followUps } = await publishRows(workspace, other.dir, s.dataset('daily-prices'), quotes('2330', [close]), {
        accept: ['same_body'],
      })
      return followUps.map(({ dataset, outcome }) => [dataset, outcome.status, outcome.changes?.rows_added, outcome.changes?.rows_removed])
    }
    expect(await publish(999)).toEqual([])
    expect(await publish(1_001)).toEqual([['weekly-bars', 'published', 1, 0]])
    expect(await publish(1_000)).toEqual([['weekly-bars', 'published', 0, 1]])
    expect(stored(workspace.releases, 'weekly-bars').manifest.statistics.rows).toBe(0)
    expect(await publish(1_002)).toEqual([['weekly-bars', 'published', 1, 0]])
    workspace.close()
    await other.remove()
  })

  it('twmd check explains a valid declaration of a computed dataset, and requires files for a dataset that is not computed', async () => {
    expect(await twmd(s.dir, 'check', 'weekly-bars')).toMatchObject({
      code: 0,
      stdout: 'weekly-bars: the SQL is valid. It is computed from daily-prices, by week.\n',
    })
    expect(await twmd(s.dir, 'check', 'daily-prices')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("missing required argument 'file'"),
    })
  })
})
