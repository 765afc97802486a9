import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Row } from '../../../catalog/index.ts'
import { refusalOf } from '../../fixtures/publish/refusal.ts'
import { quote, trade } from '../../fixtures/publish/rows.ts'
import { type Publisher, publisher } from './publisher.ts'

const QUOTES = 'daily-prices'
const TRADES = 'institutional-positioning'
const FIRMS = 'securities-firm-master'
const DAY = '2026-06-30'
let s: Publisher
beforeAll(async () => {
  s = await publisher()
  await s.publishSomeCalendar()
})
afterAll(() => s.close())

let files = 0
/** NDJSON as an engineer would write it. `raw` values are inserted without quotes. */
function partitionFile(rows: readonly Row[], raw: Readonly<Record<string, string>> = {}): string {
  const ndjsonLine = (row: Row): string =>
    `{${Object.entries(row)
      .map(([name, value]) => `${JSON.stringify(name)}:${raw[name] ?? JSON.stringify(value)}`)
      .join(',')}}`
  return s.file(`raw-${files++}.ndjson`, rows.map(ndjsonLine).join('\n'))
}

/**
 * A CSV of a dataset's example rows, one for each replaced cell. Cells are inserted without quotes.
 */
function csvWith(slug: string, column: string, cells: readonly string[]): string {
  const { columns, example } = s.dataset(slug)
  const names = Object.keys(columns)
  const quoted = (value: unknown): string =>
    value === null ? '' : `"${(typeof value === 'object' ? JSON.stringify(value) : String(value)).replaceAll('"', '""')}"`
  const rows = cells.map((cell, at) => names.map(name => (name === column ? cell : quoted(example[at % example.length]![name]))).join(','))
  return s.file(`${slug}-${files++}.csv`, [names.join(','), ...rows, ''].join('\n'))
}

it('a file with unknown columns is refused in one finding that names the unknown and the known columns', async () => {
  const { faults } = await s.check(QUOTES, [{ ...quote('2330', DAY, 1), vol: 1, amount: 2 }])
  expect(faults).toMatchObject([{ rule: 'unknown_column', count: 2 }])
  for (const invalid of [
    /no columns .*vol/,
    /no columns .*amount/,
    /; twmd check proposes a mapping\. Available columns: ticker, market, trade_date/,
  ])
    expect(faults[0]!.message).toMatch(invalid)
})

it('a file without a required column is refused with the name of the column; a nullable column may be missing', async () => {
  const { volume: _volume, trades: _trades, ...row } = quote('2330', DAY, 1)
  const { faults } = await s.check(QUOTES, [row])
  expect(faults.map(({ rule, column }) => [rule, column])).toEqual([['missing_column', 'volume']])
  const { turnover: _turnover, ...less } = row
  expect((await s.check(QUOTES, [less])).faults).toMatchObject([
    { rule: 'missing_column', column: 'volume', message: expect.stringContaining('does not have the columns volume, turnover') },
  ])
})

/** JSON values with a wrong type. A file has one value for each column. */
const NOT_OF_TYPE = {
  volume: [
    '1.5',
    '9007199254740993', // beyond 2^53
    '-9223372036854775808', // the least 64-bit integer
    '1e400',
    '"1,000"',
    '"many"',
    '"1_000"',
  ],
  close: ['"1_505"', '"true"', '"NaN"', 'NaN', '"Infinity"', '"-inf"', '1e999'],
  trade_date: ['"2026-02-30"', '"20260630"', '"115-06-30"', '"2026-06-30 09:00:00"'],
} as const
const notOfType = (index: number): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(NOT_OF_TYPE).flatMap(([name, values]) => {
      const value = values[index]
      return value === undefined ? [] : [[name, value]]
    }),
  )

it('an integer, number or date column refuses values of another type and shows the value', async () => {
  for (let index = 0; index < NOT_OF_TYPE.volume.length; index++) {
    const raw = notOfType(index)
    const { status, faults } = await s.checkFile(QUOTES, partitionFile([quote('1101', DAY, 1), quote('2330', DAY, 1)], raw))
    expect.soft(status, JSON.stringify(raw)).toBe('refused')
    for (const [column, value] of Object.entries(raw)) {
      const fault = faults.find(one => one.rule === 'type' && one.column === column)
      const shown = { count: 2, samples: [{ row: 1, [column]: value.replaceAll('"', '') }] }
      expect.soft(fault, `${column}: ${value}`).toMatchObject({ ...shown, message: expect.stringContaining(column) })
    }
  }
})

it('a timestamp, boolean or JSON column refuses values of another type and shows the value', async () => {
  const cases: readonly (readonly [slug: string, column: string, values: readonly string[]])[] = [
    // Without an offset, and without a time of day.
    ['theme-taxonomy', 'updated_at', ['2026-06-30T18:00:00', '2026-06-30']],
    ['trading-calendar', 'is_open', ['maybe']],
    [FIRMS, 'business_items', ['["101"', '[NaN]', '{"share":-Infinity}']],
    // Out of a double's range, rounded by one, and with a repeated key.
    [FIRMS, 'business_items', ['[{"share":1e400}]', '[0.1234567890123456789012345]', '[{"a":1,"b":{"c":1,"c":2}}]']],
  ]
  for (const [slug, column, values] of cases) {
    const { faults } = await s.checkFile(
      slug,
      csvWith(
        slug,
        column,
        values.map(value => `"${value.replaceAll('"', '""')}"`),
      ),
    )
    const fault = faults.find(({ rule }) => rule === 'type')
    expect.soft(fault, `${slug} ${column}`).toMatchObject({ column, count: values.length })
    for (const [index, value] of values.entries())
      expect.soft(fault?.samples, `${slug} ${column}: ${value}`).toContainEqual({ row: index + 1, [column]: value })
  }
})

it('a number with more digits than a double holds is refused, whether it is text, a JSON number or in a JSON value', async () => {
  const LONG = '1505.1234567890123456789'
  const fault = (column: string) => [{ rule: 'digits', column, message: expect.stringContaining(LONG) }]
  const text = await s.checkFile(QUOTES, partitionFile([quote('2330', DAY, 1)], { close: `"${LONG}"` }))
  expect.soft(text.faults, 'text').toMatchObject([{ rule: 'digits', column: 'close', samples: [{ row: 1, close: LONG }] }])
  const number = await s.checkFile(QUOTES, partitionFile([quote('1101', DAY, 1), quote('2330', DAY, 1)], { close: LONG }))
  expect.soft(number.faults, 'JSON number').toMatchObject(fault('close'))
  const [curve] = s.dataset('bond-yield-curve').example
  const nested = await s.checkFile('bond-yield-curve', partitionFile([curve!], { lineage: `{"note":"1","residual_years":${LONG}}` }))
  expect.soft(nested.faults, 'within a JSON value').toMatchObject(fault('residual_years'))
})

it('leading and trailing zeros of a number, and digits in a text, do not count as too many digits', async () => {
  const file = partitionFile([quote('2330', DAY, 1, { name: '123456789012345678901' })], {
    close: '1505.50000000000000000000',
    open: '1.50500000000000000000e3',
  })
  expect(await s.checkFile(QUOTES, file)).toMatchObject({ status: 'publishable', faults: [] })
})

it('a JSON row that states a column twice is refused', async () => {
  const { faults } = await s.checkFile(QUOTES, partitionFile([quote('2330', DAY, 1)], { close: '1,"close":2' }))
  expect(faults).toMatchObject([{ rule: 'doubled_key', column: 'close', message: expect.stringContaining('close twice') }])
})

it.each(['null', '" null "'])('the JSON value %s counts as absent in a required column', async text => {
  const { faults } = await s.checkFile(FIRMS, csvWith(FIRMS, 'business_items', [text]))
  expect(faults).toMatchObject([{ rule: 'null', column: 'business_items' }])
})

it('every broken row rule is reported in one check, with the grain of its row', async () => {
  const broken: readonly (readonly [rule: string, column: string | null, rows: readonly Row[]])[] = [
    ['null', 'name', [quote('1101', DAY, 1, { name: null })]],
    ['grain', null, [quote('1102', DAY, 1), quote('1102', DAY, 2)]],
    ['nothing_negative', null, [quote('1103', DAY, -1)]],
    ['price_in_twd', null, [quote('1104', DAY, 1, { low: -9 })]],
    ['high_above_low', null, [quote('1105', DAY, 1, { high: 1, low: 2 })]],
    ['known_market', 'market', [quote('1106', DAY, 1, { market: 'OTC' })]],
    ['future_date', 'trade_date', [quote('1107', '2026-07-03', 1)]],
    ['ancient_date', 'trade_date', [quote('1108', '0115-06-30', 1)]],
  ]
  const { faults } = await s.check(
    QUOTES,
    broken.flatMap(([, , rows]) => rows),
  )
  for (const [rule, column, [row]] of broken) {
    const fault = faults.find(one => one.rule === rule)
    const samples = [{ ticker: row!['ticker'], trade_date: row!['trade_date'] }]
    expect.soft(fault, rule).toMatchObject({ column, count: 1, samples })
  }
  expect(faults.map(({ rule }) => rule).sort()).toEqual(broken.map(([rule]) => rule).sort())
  const { faults: absurd } = await s.check(QUOTES, [quote('2330', DAY, 1, { high: 1e300 })])
  expect(absurd).toMatchObject([{ rule: 'price_in_twd', count: 1 }])
})

it('a trade is refused if its institutions do not add up to its total, or if its ticker cannot be a value of symbol', async () => {
  const { faults } = await s.check(TRADES, [trade('2330', DAY, 5, { institutional_net_buy_total: 6 }), trade('00632r', DAY, 5)])
  expect(faults.map(({ rule, column, count }) => [rule, column, count]).sort()).toEqual([
    ['key_shape', 'ticker', 1],
    ['legs_add_up', 'institutional_net_buy_total', 1],
  ])
})

it('a file is refused if the value of a derived column is missing or differs from the formula', async () => {
  const [row] = s.dataset(TRADES).example
  const absent = await s.check(TRADES, [{ ...row, buy_streak: null }], ['derived_as_given'])
  expect(absent.faults).toMatchObject([{ rule: 'null', column: 'buy_streak', count: 1, samples: [{ ticker: '2330', trade_date: DAY }] }])
  const differing = await s.check(TRADES, [{ ...row, buy_streak: 77 }])
  const fault = differing.faults.find(({ column }) => column === 'buy_streak')
  expect(fault).toMatchObject({ rule: 'derived_differs', count: 1, samples: [{ brought: 77, formula: 1 }] })
})

it('a fault shows up to five samples and the number of all its rows', async () => {
  const rows = Array.from({ length: 9 }, (_, index) => quote(String(1101 + index), DAY, 1, { name: null, volume: index < 7 ? -1 : 1 }))
  const { faults } = await s.check(QUOTES, rows)
  expect(faults.map(({ rule, count, samples }) => [rule, count, samples?.length]).sort()).toEqual([
    ['nothing_negative', 7, 5],
    ['null', 9, 5],
  ])
})

it('a fault in one file refuses the whole batch and quarantines only that file', async () => {
  await s.publish(QUOTES, [quote('2330', '2026-06-29', 1)])
  const [good, bad] = [partitionFile([quote('1101', DAY, 1)]), partitionFile([quote('2330', DAY, -1)])]
  const { file } = await refusalOf(s, QUOTES, [good, bad])
  expect(file).toBe(bad)
})
