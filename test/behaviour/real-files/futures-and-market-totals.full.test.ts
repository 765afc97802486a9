import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { body, ingest, outcomes } from '../../fixtures/ingest/bodies.ts'
import { service, type TestService } from '../../support.ts'
import { counts } from '../reconciliation/badges.ts'
import { real, realFilesThere } from './files.ts'

const DAY = '2023-01-30'

type Cells = readonly string[]
type Read = (cell: string) => string | number | null
/** For each position of a file's column: the served column, and how to read a cell. */
type Served = Readonly<Record<string, readonly [place: number, read: Read]>>

const text: Read = cell => cell
const number: Read = cell => Number(cell.replaceAll(',', '').replace('%', ''))
const orNull: Read = cell => (cell === '' || cell === '-' ? null : number(cell))
const mark: Read = cell => cell || null
const thousands: Read = cell => Number(cell) * 1_000
const word =
  (words: Readonly<Record<string, string>>): Read =>
  cell =>
    words[cell]!

/** Lines of a TAIFEX CSV file, split at commas only. Notes after a blank line are left out. */
function csvRows(path: string): readonly Cells[] {
  const bytes = readFileSync(real(path))
  const [table] = new TextDecoder('big5').decode(path.endsWith('.gz') ? gunzipSync(bytes) : bytes).split('\r\n\r\n')
  const lines = table!.trim().split('\r\n').slice(1)
  return lines.map(line => line.split(',').map(cell => cell.trim()))
}

interface JsonTable {
  readonly fields?: readonly string[]
  readonly data: readonly Cells[]
}
const json = (path: string) => JSON.parse(readFileSync(real(path), 'utf8')) as JsonTable & { readonly tables: readonly JsonTable[] }

const columnsFrom = (names: readonly string[], from: number, read: Read): Served =>
  Object.fromEntries(names.map((name, index) => [name, [from + index, read] as const]))

const SESSION = word({ 一般: 'regular', 盤後: 'after_hours' })
const OPTION = word({ 買權: 'call', 賣權: 'put', CALL: 'call', PUT: 'put' })
const INVESTOR = word({ 自營商: 'dealers', 投信: 'investment_trust', 外資及陸資: 'foreign' })
const TRADERS = word({ 0: 'all', 1: 'institutions' })
const HALVES = ['volume', 'value'] as const
const positions = (from: number, [plus, minus]: readonly [string, string]): Served =>
  Object.fromEntries(
    ['', 'open_interest'].flatMap((kind, half) =>
      [plus, minus, 'net'].flatMap((side, index) =>
        HALVES.map((unit, at) => {
          const name = kind === '' ? `${side}_${unit}` : unit === 'volume' ? `${side}_${kind}` : `${side}_${kind}_value`
          return [name, [from + half * 6 + index * 2 + at, unit === 'volume' ? number : thousands] as const]
        }),
      ),
    ),
  )
const BOOK = ['best_bid', 'best_ask', 'historical_high', 'historical_low']
const TOP = ['top5_buy', 'top5_sell', 'top10_buy', 'top10_sell', 'market_open_interest']

interface File {
  readonly feed: string
  readonly path: string
  readonly slug: string
  readonly rows: (path: string) => readonly Cells[]
  readonly columns: Served
  /** Columns whose values are not in the file. */
  readonly always?: Readonly<Record<string, string>>
}

const FILES: readonly File[] = [
  {
    feed: 'taifex-futures',
    path: 'taifex/taifex-futures-historical.csv',
    slug: 'futures-daily',
    rows: csvRows,
    columns: {
      contract: [1, text],
      contract_month: [2, text],
      ...columnsFrom(
        ['open', 'high', 'low', 'close', 'change', 'change_percent', 'volume', 'settlement_price', 'open_interest'],
        3,
        orNull,
      ),
      ...columnsFrom(BOOK, 12, orNull),
      trading_halt: [16, mark],
      session: [17, SESSION],
      spread_volume: [18, orNull],
    },
  },
  {
    feed: 'taifex-options',
    path: 'taifex/taifex-options-historical.csv.gz',
    slug: 'options-daily',
    rows: csvRows,
    columns: {
      contract: [1, text],
      contract_month: [2, text],
      strike_price: [3, number],
      option_type: [4, OPTION],
      ...columnsFrom(['open', 'high', 'low', 'close', 'volume', 'settlement_price', 'open_interest'], 5, orNull),
      ...columnsFrom(BOOK, 12, orNull),
      trading_halt: [16, mark],
      session: [17, SESSION],
      ...columnsFrom(['change', 'change_percent'], 18, orNull),
    },
  },
  {
    feed: 'taifex-futures-institutional',
    path: 'taifex/taifex-futures-institutional.csv',
    slug: 'futures-institutional',
    rows: csvRows,
    columns: { product: [1, text], investor: [2, INVESTOR], ...positions(3, ['long', 'short']) },
  },
  {
    feed: 'taifex-options-institutional',
    path: 'taifex/taifex-options-institutional.csv',
    slug: 'options-institutional',
    rows: csvRows,
    columns: { product: [1, text], option_type: [2, OPTION], investor: [3, INVESTOR], ...positions(4, ['buy', 'sell']) },
  },
  {
    feed: 'taifex-large-traders-futures',
    path: 'taifex/taifex-futures-large-traders-position.csv',
    slug: 'large-traders',
    rows: csvRows,
    always: { instrument: 'futures' },
    columns: {
      contract: [1, text],
      contract_name: [2, text],
      contract_month: [3, text],
      trader_type: [4, TRADERS],
      ...columnsFrom(TOP, 5, number),
    },
  },
  {
    feed: 'taifex-large-traders-options',
    path: 'taifex/taifex-options-large-traders-position.csv',
    slug: 'large-traders',
    rows: csvRows,
    columns: {
      contract: [1, text],
      contract_name: [2, text],
      instrument: [3, OPTION],
      contract_month: [4, text],
      trader_type: [5, TRADERS],
      ...columnsFrom(TOP, 6, number),
    },
  },
  {
    feed: 'taifex-put-call-ratio',
    path: 'taifex/taifex-txo-put-call-ratio.csv',
    slug: 'put-call-ratio',
    rows: csvRows,
    columns: columnsFrom(
      ['put_volume', 'call_volume', 'volume_ratio', 'put_open_interest', 'call_open_interest', 'open_interest_ratio'],
      1,
      number,
    ),
  },
  {
    feed: 'twse-market-institutional',
    path: 'twse/twse-market-institutional.json',
    slug: 'market-institutional',
    rows: path => json(path).data,
    always: { market: 'TWSE' },
    columns: columnsFrom(['buy', 'sell', 'net'], 1, number),
  },
  {
    feed: 'tpex-market-institutional',
    path: 'tpex/tpex-market-institutional.json',
    slug: 'market-institutional',
    rows: path => json(path).tables[0]!.data.filter(([name]) => !/^(外資及陸資|自營商)合計/.test(name!)),
    always: { market: 'TPEX' },
    columns: columnsFrom(['buy', 'sell', 'net'], 1, number),
  },
  {
    feed: 'twse-market-classes',
    path: 'market/twse-MI_INDEX-MS-20230130.json',
    slug: 'market-turnover-by-class',
    rows: path => json(path).tables[6]!.data.filter(([name]) => /^\d/.test(name!)),
    always: { market: 'TWSE' },
    columns: { name: [0, text], ...columnsFrom(['value', 'volume', 'transactions'], 1, number) },
  },
  {
    feed: 'tpex-market-classes',
    path: 'market/tpex-marketStats-20230130.json',
    slug: 'market-turnover-by-class',
    rows: path => json(path).tables[0]!.data,
    always: { market: 'TPEX' },
    columns: { name: [0, text], ...columnsFrom(['value', 'volume', 'transactions'], 1, number) },
  },
  {
    feed: 'tpex-market-breadth',
    path: 'market/tpex-highlight-20230130.json',
    slug: 'market-breadth',
    rows: path => json(path).tables[0]!.data,
    always: { market: 'TPEX', scope: 'stocks' },
    columns: {
      listed: [0, number],
      ...columnsFrom(['advances', 'limit_up', 'declines', 'limit_down', 'unchanged', 'no_trade'], 7, number),
    },
  },
  {
    feed: 'twse-market-margin',
    path: 'twse/twse-market-margin-trades.json',
    slug: 'market-margin',
    rows: path => json(path).tables[0]!.data,
    always: { market: 'TWSE' },
    columns: columnsFrom(['buy', 'sell', 'repayment', 'balance_before', 'balance'], 1, number),
  },
]

/** Files whose cells are not all compared: they are needed for other comparisons, or need none. */
const OTHERS = [
  ['twse-margin', 'twse/twse-stocks-margin-trades.json'],
  ['tpex-margin', 'tpex/tpex-stocks-margin-trades.json'],
  ['tpex-market-margin', 'tpex/tpex-stocks-margin-trades.json'],
  ['twse-market-breadth', 'market/twse-MI_INDEX-MS-20230130.json'],
  ['taifex-fx-rates', 'taifex/taifex-exchange-rates.csv'],
] as const

describe.skipIf(!realFilesThere)('real files of futures, options, market totals and rates', () => {
  let s: TestService
  let key: string

  beforeAll(async () => {
    s = await service({ examples: false, now: () => new Date('2026-11-20T12:00:00Z') })
    key = s.keyOn('max')
    for (const [feed, path] of [...FILES.map(({ feed, path }) => [feed, path] as const), ...OTHERS]) {
      const ingested = await ingest(s, feed, [real(path)], { requestedDay: DAY })
      expect(outcomes(ingested).map(([, , outcome, said]) => [feed, outcome, said])).toEqual([[feed, 'published', null]])
    }
  }, 120_000)
  afterAll(() => s.close())

  const rowsOf = async (slug: string, query: string): Promise<readonly Record<string, unknown>[]> => {
    const response = await s.get(`/v2/datasets/${slug}${query}`, key)
    return response.json().envelope.data
  }
  const keyOf = (row: Readonly<Record<string, unknown>>, names: readonly string[]): string => names.map(name => row[name]).join('|')

  it.each(FILES)('the API serves every cell of the real file $path', async ({ path, slug, rows, columns, always = {} }) => {
    const expected: Readonly<Record<string, unknown>>[] = rows(path).map(cells => ({
      trade_date: DAY,
      ...always,
      ...Object.fromEntries(Object.entries(columns).map(([name, [place, read]]) => [name, read(cells[place]!.trim())])),
    }))
    const names = Object.keys(expected[0]!)
    const served = await rowsOf(
      slug,
      slug === 'put-call-ratio' ? `?start_date=${DAY}&end_date=${DAY}` : `/cross-section?date=${DAY}&limit=20000`,
    )
    const instruments = new Set(expected.map(row => row['instrument']))
    const own = served.filter(
      row =>
        (always['market'] === undefined || row['market'] === always['market']) &&
        (always['scope'] === undefined || row['scope'] === always['scope']) &&
        (!instruments.has('futures') && !instruments.has('call') ? true : instruments.has(row['instrument'])),
    )
    const sorted = (list: readonly Readonly<Record<string, unknown>>[]) =>
      list.map(row => Object.fromEntries(names.map(name => [name, row[name]]))).sort((a, b) => (keyOf(a, names) < keyOf(b, names) ? -1 : 1))
    expect(own.length).toBe(expected.length)
    expect(sorted(own)).toEqual(sorted(expected))
  })

  it('the put/call ratio of the real file agrees with the real options of both sessions', async () => {
    expect(await counts(s, 'put-call-ratio', 'volume_of_options_daily')).toEqual([1, 1, 1])
    expect(await counts(s, 'put-call-ratio', 'open_interest_of_options_daily')).toEqual([1, 1, 1])
  })

  it('the open interest of large traders agrees with the real daily files for every contract that can be compared', async () => {
    expect(await counts(s, 'large-traders', 'open_interest_of_futures')).toEqual([1_498, 21, 21])
    expect(await counts(s, 'large-traders', 'open_interest_of_stock_futures')).toEqual([1_498, 241, 241])
    expect(await counts(s, 'large-traders', 'open_interest_of_options')).toEqual([1_498, 8, 8])
    expect(await counts(s, 'large-traders', 'open_interest_of_stock_options')).toEqual([1_498, 100, 100])
  })

  it('the printed totals of the market agree with their parts', async () => {
    expect(await counts(s, 'market-institutional', 'source_totals')).toEqual([12, 8, 8])
    expect(await counts(s, 'market-turnover-by-class', 'source_totals')).toEqual([25, 25, 25])
    expect(await counts(s, 'market-margin', 'sum_of_margin_trading')).toEqual([6, 4, 4])
  })

  it('real TWSE breadth has the printed counts of all securities and of stocks', async () => {
    const rows = await rowsOf('market-breadth', `/cross-section?date=${DAY}`)
    expect(
      rows
        .filter(({ market }) => market === 'TWSE')
        .map(row => [row['scope'], row['advances'], row['limit_up'], row['declines'], row['limit_down'], row['no_trade']]),
    ).toEqual([
      ['all', 4_916, 55, 2_052, 69, 11_438],
      ['stocks', 764, 14, 132, 0, 1],
    ])
  })

  it('rates of the central bank and of TAIFEX have the printed figures, and are distinguished by currency pair and source', async () => {
    const older = [
      ['cbc-fx-rates', real('macro/cbc-BP01D01-daily-fx.json.gz')],
      ['cbc-money-market', real('macro/cbc-EG41M01-money-market-rates.json')],
    ] as const
    for (const [feed, path] of older) expect(outcomes(await ingest(s, feed, [path]))[0]![2], feed).toBe('published')
    const rate = async (pair: string, source: string, day: string) =>
      (await rowsOf('fx-rates', `?pair=${pair}&source=${source}&start_date=${day}&end_date=${day}`)).map(row => row['rate'])
    expect(await rate('USD/TWD', 'taifex', DAY)).toEqual([30.137])
    expect(await rate('USD/TWD', 'cbc', '1993-01-05')).toEqual([25.405])
    expect(await rate('GBP/USD', 'cbc', '1993-01-05')).toEqual([1.5499])
    expect(await rate('EUR/USD', 'cbc', '1993-01-05')).toEqual([])
    const calls = await rowsOf('money-market-rates', '?item=interbank_call_loan&limit=1')
    expect(calls).toEqual([{ item: 'interbank_call_loan', month: '2020-06', period_end: '2020-06-30', rate: 0.082 }])
  })

  it('an empty TAIFEX table is refused instead of read as a trading day without rows', async () => {
    const page = readFileSync(real('taifex/taifex-futures-institutional-no-data.html'))
    const [early] = outcomes(await ingest(s, 'taifex-futures-institutional', [body(s, 'empty.html', page)], { requestedDay: '2023-01-31' }))
    expect(early!.slice(2)).toEqual(['refused', 'asked_too_early'])
    const [error] = outcomes(
      await ingest(s, 'taifex-futures-institutional', [real('taifex/taifex-futures-institutional-datetime-error.html')], {
        requestedDay: '2023-01-31',
      }),
    )
    expect(error!.slice(2)).toEqual(['refused', 'not_the_publication'])
  })
})
