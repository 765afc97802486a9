import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Row } from '../../../catalog/index.ts'
import { publishFiles } from '../../../ingest/index.ts'
import { refusalOf } from '../../fixtures/publish/refusal.ts'
import { quote, trade } from '../../fixtures/publish/rows.ts'
import { service, type TestService } from '../../support.ts'

const QUOTES = 'daily-prices'
const TRADES = 'institutional-positioning'
let s: TestService
beforeAll(async () => {
  s = await service()
})
afterAll(() => s.close())

let files = 0
/** NDJSON as an engineer would write it; `raw` values are put in unquoted. */
function partitionFile(rows: readonly Row[], raw: Readonly<Record<string, string>> = {}): string {
  const file = join(s.dir, `rows-${files++}.ndjson`)
  const line = (row: Row): string =>
    `{${Object.entries(row)
      .map(([name, value]) => `${JSON.stringify(name)}:${raw[name] ?? JSON.stringify(value)}`)
      .join(',')}}`
  writeFileSync(file, rows.map(line).join('\n'))
  return file
}

const DAY = '2026-06-30'

describe('columns of a file', () => {
  it('that the dataset does not have are refused, each by its name, with the names it has said once', async () => {
    const { faults } = await refusalOf(s, QUOTES, [partitionFile([{ ...quote('2330', DAY, 1), vol: 1, amount: 2 }])])
    expect(faults.map(({ rule, column }) => [rule, column]).sort()).toEqual([
      ['unknown_column', 'amount'],
      ['unknown_column', 'vol'],
    ])
    expect(faults[0]!.message).toContain('ticker, market, trade_date')
    expect(faults.filter(({ message }) => message.includes('Its columns are'))).toHaveLength(1)
  })

  it('that may not be left out are missed by name; one that may be absent is not', async () => {
    const { volume: _, trades: __, ...row } = quote('2330', DAY, 1)
    const { faults } = await refusalOf(s, QUOTES, [partitionFile([row])])
    expect(faults.map(({ rule, column }) => [rule, column])).toEqual([['missing_column', 'volume']])
  })
})

describe('a value that is not of its column’s type is refused, the value shown', () => {
  it.each([
    ['a half in an integer', 'volume', '1.5'],
    ['an integer beyond 2^53', 'volume', '9007199254740993'],
    ['the least 64-bit integer', 'volume', '-9223372036854775808'],
    ['a number too large for any', 'volume', '1e400'],
    ['thousands separated', 'volume', '"1,000"'],
    ['a word', 'volume', '"many"'],
    ['digits parted by underscores, in an integer', 'volume', '"1_000"'],
    ['digits parted by underscores, in a number', 'close', '"1_505"'],
    ['a boolean in a number', 'close', '"true"'],
    ['NaN', 'close', '"NaN"'],
    ['NaN as a bare word', 'close', 'NaN'],
    ['Infinity', 'close', '"Infinity"'],
    ['minus infinity', 'close', '"-inf"'],
    ['a number beyond a double', 'close', '1e999'],
    ['a day that is none', 'trade_date', '"2026-02-30"'],
    ['a day without dashes', 'trade_date', '"20260630"'],
    ['a day of the year 115', 'trade_date', '"115-06-30"'],
    ['a day with its time', 'trade_date', '"2026-06-30 00:00:00"'],
  ])('%s', async (_, column, value) => {
    const { faults } = await refusalOf(s, QUOTES, [partitionFile([quote('1101', DAY, 1), quote('2330', DAY, 1)], { [column]: value })])
    const fault = faults.find(({ rule }) => rule === 'type')!
    expect([fault.column, fault.count, fault.samples]).toEqual([column, 2, [{ row: 1, [column]: value.replaceAll('"', '') }]])
    expect(fault.message).toContain(column)
  })

  it.each([
    ['theme-taxonomy', 'updated_at', 'a timestamp without an offset', '2026-06-30T18:00:00'],
    ['theme-taxonomy', 'updated_at', 'a day for a timestamp', '2026-06-30'],
    ['trading-calendar', 'is_open', 'a word for a boolean', 'maybe'],
    ['securities-firm-master', 'business_items', 'JSON that breaks off', '["101"'],
    ['securities-firm-master', 'business_items', 'JSON with NaN, which no client reads', '[NaN]'],
    ['securities-firm-master', 'business_items', 'JSON with Infinity', '{"share":-Infinity}'],
    ['securities-firm-master', 'business_items', 'JSON with a number beyond a double', '[{"share":1e400}]'],
    ['securities-firm-master', 'business_items', 'JSON with a number that would be rounded', '[0.1234567890123456789012345]'],
    ['securities-firm-master', 'business_items', 'JSON with a key twice', '[{"a":1,"b":{"c":1,"c":2}}]'],
  ])('%s %s: %s', async (slug, column, _, value) => {
    const names = Object.keys(s.dataset(slug).columns)
    const cell = (text: unknown): string =>
      text === null ? '' : `"${(typeof text === 'object' ? JSON.stringify(text) : String(text)).replaceAll('"', '""')}"`
    const rows = s.dataset(slug).example.map(row => names.map(name => cell(name === column ? value : row[name])).join(','))
    const file = join(s.dir, `${slug}-${files++}.csv`)
    writeFileSync(file, [names.join(','), ...rows, ''].join('\n'))
    const { faults } = await refusalOf(s, slug, [file])
    expect(faults.find(({ rule }) => rule === 'type')).toMatchObject({ column, count: rows.length, samples: [{ row: 1, [column]: value }] })
  })
})

describe('a number with more digits than a double carries is refused, not rounded', () => {
  const LONG = '1505.1234567890123456789'
  const bare = { close: LONG }

  it('as text', async () => {
    const { faults } = await refusalOf(s, QUOTES, [partitionFile([quote('2330', DAY, 1)], { close: `"${LONG}"` })])
    expect(faults).toMatchObject([
      { rule: 'digits', column: 'close', samples: [{ row: 1, close: LONG }], message: expect.stringContaining('close') },
    ])
  })

  it('as a number in JSON, where a reader would have rounded it already', async () => {
    const { faults } = await refusalOf(s, QUOTES, [partitionFile([quote('1101', DAY, 1), quote('2330', DAY, 1)], bare)])
    expect(faults).toMatchObject([{ rule: 'digits', column: 'close', message: expect.stringContaining(LONG) }])
  })

  it('within a JSON value, named by its key', async () => {
    const row = { ...s.dataset('bond-yield-curve').example[0] }
    const { faults } = await refusalOf(s, 'bond-yield-curve', [partitionFile([row], { lineage: `{"note":"1","residual_years":${LONG}}` })])
    expect(faults).toMatchObject([{ rule: 'digits', column: 'residual_years', message: expect.stringContaining(LONG) }])
  })
})

it('a row that states a column twice is refused, since readers differ in which they take', async () => {
  const { faults } = await refusalOf(s, QUOTES, [partitionFile([quote('2330', DAY, 1)], { close: '1,"close":2' })])
  expect(faults).toMatchObject([{ rule: 'doubled_key', column: 'close', message: expect.stringContaining('close twice') }])
})

describe('the JSON value null', () => {
  const firms = 'securities-firm-master'
  const csvOf = (column: string, text: string): string => {
    const names = Object.keys(s.dataset(firms).columns)
    const cell = (value: unknown): string =>
      value === null ? '' : `"${(typeof value === 'object' ? JSON.stringify(value) : String(value)).replaceAll('"', '""')}"`
    const file = join(s.dir, `nulls-${files++}.csv`)
    const rows = s.dataset(firms).example.map(row => names.map(name => (name === column ? text : cell(row[name]))).join(','))
    writeFileSync(file, [names.join(','), ...rows].join('\n'))
    return file
  }

  it.each(['null', '" null "'])('is no value where one is due (%s)', async text => {
    const { faults } = await refusalOf(s, firms, [csvOf('business_items', text)])
    expect(faults).toMatchObject([{ rule: 'null', column: 'business_items' }])
  })
})

describe('a row is refused, its grain shown', () => {
  const where = [{ ticker: '2330', trade_date: DAY }]

  it.each([
    ['null', 'a value is absent where one is due', QUOTES, [quote('2330', DAY, 1, { name: null })], 'name'],
    ['grain', 'another has its grain', QUOTES, [quote('2330', DAY, 1), quote('2330', DAY, 2)], null],
    ['nothing_negative', 'a volume is negative', QUOTES, [quote('2330', DAY, -1)], null],
    ['price_in_twd', 'a price is negative', QUOTES, [quote('2330', DAY, 1, { low: -9 })], null],
    ['price_in_twd', 'a price is absurd', QUOTES, [quote('2330', DAY, 1, { high: 1e300 })], null],
    ['high_above_low', 'the highest price lies below the lowest', QUOTES, [quote('2330', DAY, 1, { high: 1, low: 2 })], null],
    ['known_market', 'its market is none', QUOTES, [quote('2330', DAY, 1, { market: 'OTC' })], 'market'],
    [
      'legs_add_up',
      'its legs do not add up to the printed total',
      TRADES,
      [trade('2330', DAY, 5, { institutional_net_buy_total: 6 })],
      'institutional_net_buy_total',
    ],
  ] as const)('as %s when %s', async (rule, _, slug, rows, column) => {
    const { faults } = await refusalOf(s, slug, [partitionFile(rows)])
    expect(faults).toMatchObject([{ rule, column, count: 1, samples: where }])
  })

  it('as null when a derived column is brought without a value it must have', async () => {
    const row = { ...s.dataset(TRADES).example[0], buy_streak: null }
    const { faults } = await refusalOf(s, TRADES, [partitionFile([row])], { accept: ['derived_as_given'] })
    expect(faults).toMatchObject([{ rule: 'null', column: 'buy_streak', count: 1, samples: where }])
  })

  it('as derived_differs when a derived column is brought with another value than its formula gives', async () => {
    const row = { ...s.dataset(TRADES).example[0], buy_streak: 77 }
    const { faults } = await refusalOf(s, TRADES, [partitionFile([row])])
    expect(faults).toMatchObject([{ rule: 'derived_differs', column: 'buy_streak', count: 1 }])
  })

  it('as key_shape when no read could ask for its ticker', async () => {
    const { faults } = await refusalOf(s, TRADES, [partitionFile([trade('00632r', DAY, 5)])])
    expect(faults).toMatchObject([{ rule: 'key_shape', column: 'ticker', count: 1 }])
  })

  it.each([
    ['future_date', '2026-07-03'],
    ['ancient_date', '0115-06-30'],
  ])('as %s when its day is %s', async (rule, day) => {
    const { faults } = await refusalOf(s, QUOTES, [partitionFile([quote('2330', day, 1)])])
    expect(faults).toMatchObject([{ rule, column: 'trade_date', samples: [{ ticker: '2330', trade_date: day }] }])
  })

  it('with up to five samples of how many there are, and every mistake in one report', async () => {
    const rows = Array.from({ length: 9 }, (_, index) => quote(String(1101 + index), DAY, 1, { name: null, volume: index < 7 ? -1 : 1 }))
    const { faults } = await refusalOf(s, QUOTES, [partitionFile(rows)])
    expect(faults.map(({ rule, count, samples }) => [rule, count, samples?.length]).sort()).toEqual([
      ['nothing_negative', 7, 5],
      ['null', 9, 5],
    ])
  })

  it('together with every file of the batch, the files at fault quarantined', async () => {
    const [good, bad] = [partitionFile([quote('1101', DAY, 1)]), partitionFile([quote('2330', DAY, -1)])]
    const { file } = await refusalOf(s, QUOTES, [good, bad])
    expect(file).toBe(bad)
  })
})

it('the zeros before and after a number are no digits too many, nor are those of text', async () => {
  const file = partitionFile([quote('2330', DAY, 1, { name: '123456789012345678901' })], {
    close: '00000000000000000001505.50000000000000000000'.replace(/^0+/, ''),
    open: '1.50500000000000000000e3',
  })
  expect(await publishFiles(s.workspace, s.dataset(QUOTES), [file], { accept: [], synthetic: false })).toMatchObject({
    status: 'published',
  })
})
