import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ingest, outcomes } from '../../fixtures/ingest/bodies.ts'
import { service, type TestService } from '../../support.ts'
import { badge, counts } from '../reconciliation/badges.ts'
import { real, realFilesThere } from './files.ts'

type Cell = string | number
type Read = (cell: Cell) => string | number | null
type Json = {
  readonly tables?: readonly { readonly fields?: readonly string[]; readonly data?: readonly Cell[][] }[]
  readonly data?: readonly Cell[][]
}

const json = (path: string): Json => JSON.parse(readFileSync(real(path), 'utf8'))
const table = (path: string, index: number) => json(path).tables![index]!.data!

/** Cells of the page's rows, parsed from the markup without the feed's code. */
function pageRows(path: string): readonly Cell[][] {
  const page = new TextDecoder('big5').decode(readFileSync(real(path)))
  const rows = [...page.matchAll(/<tr>\s*(<td.*?)<\/tr>/gs)].map(([, row]) => row!)
  return rows.map(row => [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell]) => cell!.replace(/<[^>]*>|&nbsp;/g, '').trim()))
}

const absent = (cell: Cell): boolean => /^(-+|N\/A)?$/.test(String(cell).trim())
const number: Read = cell => Number(String(cell).trim().replaceAll(',', ''))
const orNull: Read = cell => (absent(cell) ? null : number(cell))
const lots: Read = cell => Number(number(cell)) * 1_000
const text: Read = cell => String(cell).trim()
const mark: Read = cell =>
  String(cell)
    .replace(/<[^>]*>/g, '')
    .trim() || null
const year: Read = cell => Number(cell) + 1_911
const quarter: Read = cell => `${Number(String(cell).slice(0, 3)) + 1_911}-Q${String(cell).slice(-1)}`
const day: Read = cell => (cell === 0 ? null : `${Number(String(cell).slice(0, 3)) + 1_911}-${String(cell).slice(4).replace('/', '-')}`)

/** For each position of a file's column: the served column, and how to read a cell. */
type Served = Readonly<Record<string, readonly [place: number, read: Read]>>
const who = { ticker: [0, text], name: [1, text] } as const
const columnsFrom = (names: readonly string[], from: number, read: Read): Served =>
  Object.fromEntries(names.map((name, at) => [name, [from + at, read] as const]))

const MARGIN = ['margin_buy', 'margin_sell', 'margin_cash_repayment', 'margin_previous_balance', 'margin_balance', 'margin_limit']
const SHORT = ['short_buy', 'short_sell', 'short_stock_repayment', 'short_previous_balance', 'short_balance', 'short_limit']
const ON_MARGIN = ['previous_balance', 'sold', 'bought', 'returned', 'balance', 'limit'].map(name => `margin_short_${name}`)
const LENDING = ['previous_balance', 'sold', 'returned', 'adjusted', 'balance', 'next_day_limit']
const LENDING_COLUMNS = { ...who, ...columnsFrom(ON_MARGIN, 2, number), ...columnsFrom(LENDING, 8, number), remark: [14, mark] } as const
const SHARES = ['issued_shares', 'available_shares', 'held_shares']
const PERCENTAGES = ['available_pct', 'held_pct', 'foreign_limit_pct', 'mainland_limit_pct']
const holding = (from: number): Served => ({
  ...who,
  ...columnsFrom([...SHARES, ...PERCENTAGES], from, number),
  change_reason: [from + 7, mark],
  reported_on: [from + 8, day],
})

interface File {
  readonly feed: string
  readonly path: string
  readonly slug: string
  readonly market: 'TWSE' | 'TPEX'
  readonly rows: (path: string) => readonly Cell[][]
  readonly columns: Served
}

const FILES: readonly File[] = [
  {
    feed: 'twse-quotes',
    path: 'twse/twse-stocks-historical.json',
    slug: 'daily-prices',
    market: 'TWSE',
    rows: path => json(path).tables!.find(({ fields }) => fields?.includes('證券代號'))!.data!,
    columns: {
      ...who,
      ...columnsFrom(['volume', 'trades', 'turnover'], 2, number),
      ...columnsFrom(['open', 'high', 'low', 'close'], 5, orNull),
    },
  },
  {
    feed: 'tpex-quotes',
    path: 'tpex/tpex-stocks-historical.json',
    slug: 'daily-prices',
    market: 'TPEX',
    rows: path => table(path, 0),
    columns: {
      ...who,
      close: [2, orNull],
      ...columnsFrom(['open', 'high', 'low'], 4, orNull),
      ...columnsFrom(['volume', 'turnover', 'trades'], 8, number),
    },
  },
  {
    feed: 'twse-margin',
    path: 'twse/twse-stocks-margin-trades.json',
    slug: 'margin-trading',
    market: 'TWSE',
    rows: path => table(path, 1),
    columns: { ...who, ...columnsFrom([...MARGIN, ...SHORT, 'offset_volume'], 2, lots), remark: [15, mark] },
  },
  {
    feed: 'tpex-margin',
    path: 'tpex/tpex-stocks-margin-trades.json',
    slug: 'margin-trading',
    market: 'TPEX',
    rows: path => table(path, 0),
    columns: {
      ...who,
      ...columnsFrom(
        ['margin_previous_balance', 'margin_buy', 'margin_sell', 'margin_cash_repayment', 'margin_balance', 'margin_finance_balance'],
        2,
        lots,
      ),
      margin_utilization: [8, number],
      margin_limit: [9, lots],
      ...columnsFrom(
        ['short_previous_balance', 'short_sell', 'short_buy', 'short_stock_repayment', 'short_balance', 'short_finance_balance'],
        10,
        lots,
      ),
      short_utilization: [16, number],
      ...columnsFrom(['short_limit', 'offset_volume'], 17, lots),
      remark: [19, mark],
    },
  },
  {
    feed: 'twse-lending',
    path: 'twse/twse-stocks-short-sales.json',
    slug: 'securities-lending',
    market: 'TWSE',
    rows: path => json(path).data!.filter(([ticker]) => ticker !== ''),
    columns: LENDING_COLUMNS,
  },
  {
    feed: 'tpex-lending',
    path: 'tpex/tpex-stocks-short-sales.json',
    slug: 'securities-lending',
    market: 'TPEX',
    rows: path => table(path, 0),
    columns: LENDING_COLUMNS,
  },
  {
    feed: 'twse-valuation',
    path: 'twse/twse-stocks-values.json',
    slug: 'valuation',
    market: 'TWSE',
    rows: path => json(path).data!,
    columns: {
      ...who,
      dividend_yield: [2, orNull],
      dividend_year: [3, year],
      pe_ratio: [4, orNull],
      pb_ratio: [5, orNull],
      fiscal_period: [6, quarter],
    },
  },
  {
    feed: 'tpex-valuation',
    path: 'tpex/tpex-stocks-values.json',
    slug: 'valuation',
    market: 'TPEX',
    rows: path => table(path, 0),
    columns: {
      ...who,
      pe_ratio: [2, orNull],
      dividend_per_share: [3, orNull],
      dividend_year: [4, year],
      dividend_yield: [5, orNull],
      pb_ratio: [6, orNull],
    },
  },
  {
    feed: 'twse-foreign-holding',
    path: 'twse/twse-stocks-fini-holdings.json',
    slug: 'foreign-holding',
    market: 'TWSE',
    rows: path => json(path).data!,
    columns: { ...holding(3), isin: [2, text] },
  },
  {
    feed: 'tpex-foreign-holding',
    path: 'tpex/tpex-stocks-fini-holdings.html',
    slug: 'foreign-holding',
    market: 'TPEX',
    rows: pageRows,
    columns: holding(2),
  },
]

const DAY = '2023-01-30'

describe.skipIf(!realFilesThere)('one day of both markets', () => {
  let s: TestService
  let key: string
  beforeAll(async () => {
    s = await service({ examples: false, now: () => new Date('2026-11-20T12:00:00Z') })
    key = s.keyOn('max')
    for (const { feed, path } of FILES) {
      const ingested = await ingest(s, feed, [real(path)], { requestedDay: DAY })
      expect(outcomes(ingested)[0]!.slice(1)).toEqual([DAY, 'published', null])
    }
    await s.columns.refresh()
    await s.newest.refresh()
  })
  afterAll(() => s.close())

  const dayOf = async (slug: string, market: string): Promise<readonly Record<string, unknown>[]> =>
    (await s.get(`/v2/datasets/${slug}/cross-section?date=${DAY}&market=${market}&limit=20000`, key)).json().envelope.data

  it.each(FILES)('the API serves every cell of the real file $path', async ({ path, slug, market, rows, columns }) => {
    const expected = rows(path).map(cells => ({
      market,
      trade_date: DAY,
      ...Object.fromEntries(Object.entries(columns).map(([name, [place, read]]) => [name, read(cells[place]!)])),
    }))
    expect(expected.length).toBeGreaterThan(700)
    const served = new Map((await dayOf(slug, market)).map(row => [row['ticker'], row]))
    expect(served.size).toBe(expected.length)
    for (const row of expected) expect(served.get((row as Record<string, unknown>)['ticker'])).toMatchObject(row)
    const own = new Set([...Object.keys(columns), 'market', 'trade_date'])
    const others = Object.keys(s.dataset(slug).columns).filter(name => !own.has(name))
    expect([...served.values()].filter(row => others.some(name => row[name] !== null))).toEqual([])
  })

  it('one field query returns every printed figure of 2330', async () => {
    const fields = [
      'price.close',
      'price.volume',
      'margin.balance',
      'margin.short_balance',
      'lending.balance',
      'lending.next_day_limit',
      'valuation.pe_ratio',
      'valuation.dividend_yield',
      'valuation.fiscal_period',
      'foreign_holding.held_shares',
      'foreign_holding.held_pct',
    ]
    const cellsOf = (feed: string) => {
      const { path, rows, columns } = FILES.find(file => file.feed === feed)!
      const cells = rows(path).find(([ticker]) => ticker === '2330')!
      return (name: string) => columns[name]![1](cells[columns[name]![0]]!)
    }
    const [price, margin, lending, ratio, foreignHolding] = ['quotes', 'margin', 'lending', 'valuation', 'foreign-holding'].map(name =>
      cellsOf(`twse-${name}`),
    )
    const { data, missing } = (await s.get(`/v2/query?entity_type=company&entity_id=2330&fields=${fields.join()}`, key)).json()
    expect(missing).toEqual([])
    expect(fields.map(name => data[0].fields[name].as_of_date)).toEqual(fields.map(() => DAY))
    expect(fields.map(name => data[0].fields[name].value)).toEqual([
      price!('close'),
      price!('volume'),
      margin!('margin_balance'),
      margin!('short_balance'),
      lending!('balance'),
      lending!('next_day_limit'),
      ratio!('pe_ratio'),
      ratio!('dividend_yield'),
      ratio!('fiscal_period'),
      foreignHolding!('held_shares'),
      foreignHolding!('held_pct'),
    ])
  })

  it('real rows agree with printed sums, balances and percentages', async () => {
    expect(await counts(s, 'margin-trading', 'source_totals')).toEqual([1_872, 1_872, 1_872])
    expect(await counts(s, 'margin-trading', 'printed_balance')).toEqual([1_872, 1_872, 1_872])
    expect(await counts(s, 'securities-lending', 'source_totals')).toEqual([1_897, 1_108, 1_108])
    expect(await counts(s, 'securities-lending', 'printed_balance')).toEqual([1_897, 1_897, 1_897])
    expect(await counts(s, 'foreign-holding', 'printed_ratio')).toEqual([2_047, 2_047, 2_047])
    for (const [slug, expected] of [
      ['daily-prices', 'partial'],
      ['margin-trading', 'verified'],
      ['securities-lending', 'partial'],
      ['valuation', 'verified'],
      ['foreign-holding', 'verified'],
    ] as const)
      expect((await badge(s, slug)).badge, slug).toBe(expected)
  })

  it('the real margin and lending tables have the same short sales on margin', async () => {
    const pairs = { short_previous_balance: 0, short_sell: 1, short_buy: 2, short_stock_repayment: 3, short_balance: 4 }
    for (const [market, shared] of [
      ['TWSE', 1_103],
      ['TPEX', 769],
    ] as const) {
      const lent = new Map((await dayOf('securities-lending', market)).map(row => [row['ticker'], row]))
      const both = (await dayOf('margin-trading', market)).filter(row => lent.has(row['ticker']))
      expect(both).toHaveLength(shared)
      for (const row of both)
        for (const [name, index] of Object.entries(pairs))
          expect(row[name], `${row['ticker']} ${name}`).toBe(lent.get(row['ticker'])![ON_MARGIN[index]!])
    }
  })

  it('issued shares in real TPEx foreign holdings agree with the quotes for most securities', async () => {
    const quoted = new Map(table('tpex/tpex-stocks-historical.json', 0).map(cells => [cells[0], number(cells[15]!)]))
    const foreignHolding = (await dayOf('foreign-holding', 'TPEX')).filter(row => quoted.has(row['ticker'] as string))
    const same = foreignHolding.filter(row => row['issued_shares'] === quoted.get(row['ticker'] as string))
    const close = foreignHolding.filter(
      row => Math.abs(Number(row['issued_shares']) / Number(quoted.get(row['ticker'] as string)) - 1) < 0.02,
    )
    expect([foreignHolding.length, same.length, close.length]).toEqual([887, 758, 857])
  })
})
