import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pathOf, type Row, rangeColumns } from '../../catalog/index.ts'
import { quote } from '../fixtures/publish/rows.ts'
import { service, type TestService } from '../support.ts'
import { checkRanges, READS, readsOf } from './sample-checks.ts'
import { rowsOf, type SamplesServed, samplesServed } from './samples-served.ts'

let samples: SamplesServed
beforeAll(async () => {
  samples = await samplesServed('quick')
}, 300_000)
afterAll(() => samples.s.close())

const get = (url: string, headers: Record<string, string> = {}) => samples.s.get(url, samples.key, headers)

const numbersOf = (rows: readonly Row[], column: string): readonly number[] =>
  rows.map(row => row[column]).filter((value): value is number => typeof value === 'number')

it.each(
  readsOf(['daily-prices', 'earnings'])
    .filter(dataset => rangeColumns(dataset).length > 0)
    .map(dataset => ({ at: pathOf(dataset), dataset })),
)('$at can be filtered by a range of every numeric column, in every kind of read', ({ dataset }) => checkRanges(samples, dataset))

describe('range filters', () => {
  const PRICES = '/v2/datasets/daily-prices?symbol=2330,2317,2454&start_date=2025-07-01&limit=2000'

  it('range accepts several columns and echoes them in normal form', async () => {
    const whole = rowsOf((await get(PRICES)).json())
    const close = numbersOf(whole, 'close').toSorted((a, b) => a - b)[Math.floor(whole.length / 2)]!
    const volume = numbersOf(whole, 'volume').toSorted((a, b) => a - b)[Math.floor(whole.length / 2)]!
    const response = await get(`${PRICES}&range=%20close:${close}..%20,%20volume:..${volume}`)
    expect(response.json().query.range).toBe(`close:${close}..,volume:..${volume}`)
    const expected = whole.filter(row => Number(row['close']) >= close && Number(row['volume']) <= volume)
    expect(expected.length).toBeGreaterThan(0)
    expect(rowsOf(response.json())).toEqual(expected)
  })

  it('a range may filter by a column that is neither in the answer nor in the sort order', async () => {
    const rows = rowsOf((await get(`${PRICES}&range=close:0..&columns=ticker,volume&sort=-volume`)).json())
    expect(Object.keys(rows[0]!)).toEqual(['ticker', 'volume'])
    expect(numbersOf(rows, 'volume')).toEqual(numbersOf(rows, 'volume').toSorted((a, b) => b - a))
  })

  it('each range has its own ETag and costs the credits of a read without a range', async () => {
    const [plain, first, other] = [await get(PRICES), await get(`${PRICES}&range=close:1..`), await get(`${PRICES}&range=close:2..`)]
    expect(new Set([plain, first, other].map(({ headers }) => headers['etag'])).size).toBe(3)
    expect([first, other].map(({ headers }) => headers['x-credits-charged'])).toEqual(
      [plain, plain].map(({ headers }) => headers['x-credits-charged']),
    )
    expect((await get(`${PRICES}&range=close:1..`, { 'if-none-match': String(first.headers['etag']) })).statusCode).toBe(304)
    const none = await get(`${PRICES}&range=close:1e12..`)
    expect([none.statusCode, none.headers['x-empty-reason'], rowsOf(none.json())]).toEqual([200, 'no_match', []])
  })

  it.each([
    ['close:1..', ['close:01..', 'close:1.0..', 'close:1e0..', 'close:0.1E1..']],
    ['close:0..<1e21', ['close:-0..<1e21', 'close:0.0..<1000e18']],
    ['volume:0..10', ['volume:-0..010']],
  ])('the service normalizes other notations of range=%s', async (range, others) => {
    const answers = await Promise.all([range, ...others].map(value => get(`${PRICES}&${new URLSearchParams({ range: value })}`)))
    expect(answers.map(response => response.json().query.range)).toEqual(answers.map(() => range))
    expect(new Set(answers.map(({ headers }) => headers['etag'])).size).toBe(1)
  })

  it('latest=true selects the newest row within the range', async () => {
    const dataset = samples.s.dataset('earnings')
    const [{ op, column } = { op: 'eq', column: '' }] = Object.values(dataset.filters).filter(filter => filter.op === 'latest')
    expect(op).toBe('latest')
    const url = `${pathOf(dataset)}?${await samples.required(dataset)}`
    const whole = rowsOf((await get(`${url}&limit=1000`)).json()).toSorted((a, b) => (String(a[column]) < String(b[column]) ? 1 : -1))
    const revenue = Number(whole.at(-1)!['revenue'])
    expect(revenue).not.toBe(whole[0]!['revenue'])
    const found = rowsOf((await get(`${url}&latest=true&range=revenue:${revenue}..${revenue}`)).json())
    expect(found).toEqual([whole.find(row => row['revenue'] === revenue)])
  })
})

const REFUSED: readonly (readonly [range: string, type: string, message: RegExp])[] = [
  ['close', 'pattern', /must look like ticker|must look like open:100\.\.250/],
  ['', 'pattern', /must look like/],
  ['close:', 'pattern', /must look like close:100\.\.250/],
  ['close:..', 'pattern', /must look like close/],
  ['close:..<', 'pattern', /must look like/],
  ['close:100..<', 'pattern', /must look like close/],
  ['close:100', 'pattern', /must look like/],
  ['close:100-250', 'pattern', /must look like/],
  ['close:<100..', 'pattern', /must look like/],
  ['close:1..2..3', 'pattern', /must look like/],
  ['close:NaN..', 'pattern', /must look like/],
  ['close:..Infinity', 'pattern', /must look like/],
  ['close:0x10..', 'pattern', /must look like/],
  ['close:٣..', 'pattern', /must look like/],
  ['close:.5..', 'pattern', /must look like/],
  ['close:1_000..', 'pattern', /must look like/],
  ['close:1..2,', 'pattern', /must look like/],
  ['close:1..2;drop table x', 'pattern', /must look like/],
  ['clos:1..2', 'enum', /range accepts open, high.*did you mean close\?/],
  ['trade_date:2026-01-01..', 'enum', /trade_date is not numeric; range accepts open/],
  ['__proto__:1..', 'enum', /range accepts/],
  ['constructor:1..2', 'enum', /range accepts/],
  ['close:250..100', 'range', /write the smaller end first/],
  ['close:100..<100', 'range', /the range of close from 100 to below 100 is empty/],
  ['close:1..2,close:3..4', 'repeated_value', /contains close twice/],
  ['close:1e400..', 'range', /no number of that size/],
  ['close:..-1e999', 'range', /no number of that size/],
  ['close:1e-400..', 'range', /64-bit numbers: use 0, the nearest/],
  ['close:0.1234567890123456789012345..', 'range', /64-bit numbers: use 0\.12345678901234568, the nearest/],
  ['close:0.10000000000000001..', 'range', /use 0\.1, the nearest/],
  ['volume:1.5..', 'range', /volume contains integers/],
  ['volume:1e3..', 'range', /contains integers/],
  ['volume:..9007199254740993', 'range', /up to ±9007199254740992/],
  ['volume:1234567890123456789012345..', 'range', /contains integers/],
]

describe('invalid ranges', () => {
  it.each(['daily-prices', 'daily-prices/profile'])('%s refuses every malformed or impossible range and names the reason', async path => {
    for (const [range, type, message] of REFUSED) {
      const response = await get(`/v2/datasets/${path}?symbol=2330&${new URLSearchParams({ range })}`)
      expect.soft(response.statusCode, `status of ${path} range=${range}`).toBe(422)
      expect
        .soft(response.json().detail, `detail of ${path} range=${range}`)
        .toMatchObject([{ loc: ['query', 'range'], msg: expect.stringMatching(message), type }])
    }
  })

  it('the service reports every mistake in a range, and reports a range parameter that is sent twice', async () => {
    const detail = async (query: string) => (await get(`/v2/datasets/daily-prices?symbol=2330&${query}`)).json().detail
    expect(await detail('range=clos:1..2,close:,volume:1.5..')).toMatchObject([{ type: 'enum' }, { type: 'pattern' }, { type: 'range' }])
    expect(await detail('range=close:1..2&range=volume:1..')).toMatchObject([
      { type: 'repeated_parameter', msg: expect.stringMatching(/separated by commas/) },
    ])
  })
})

describe('long range lists', () => {
  const refused = (range: string) => get(`/v2/datasets/daily-prices?symbol=2330&range=${range}`)

  it.each(['a,', 'clos:1..2,', 'close:250..100,', 'close:1..2,'])(
    'the service reports one fault for a list with more ranges than the dataset has columns: %s…',
    async part => {
      const response = await refused(part.repeat(Math.floor(7_000 / part.length)))
      expect([response.statusCode, response.json().detail]).toMatchObject([422, [{ type: 'too_many' }]])
      expect(response.json().detail[0].msg).toMatch(/parts, but only \d+ columns can be filtered/)
      expect(response.body.length).toBeLessThan(2_000)
    },
  )

  it('the service reports each kind of fault in a list of ranges once', async () => {
    const detail = (await refused('clos:1..2,opne:1..2,close,volume:2..1,high:2..1,low:1..,low:2..')).json().detail
    expect(detail.map(({ type }: { type: string }) => type)).toEqual(['enum', 'pattern', 'range', 'repeated_value'])
    expect(detail[0]).toMatchObject({ input: 'clos:1..2', msg: expect.stringMatching(/did you mean close/) })
  })
})

describe('precision of ranges', () => {
  let s: TestService
  const MOST = 2 ** 53
  const VALUES = [0.1, 0.1 + 0.2, 0.3, 1e-7, 123_456.789, 999_999.9999999999]
  beforeAll(async () => {
    s = await service({ indexed: false })
    const rows = VALUES.map((close, index) =>
      quote(String(1101 + index), '2026-06-30', MOST - 1 - index, { open: close, high: close, low: close, close, turnover: 1 }),
    )
    expect((await s.publish('daily-prices', rows, { accept: ['row_count_drift'] })).faults).toEqual([])
  })
  afterAll(() => s.close())

  const found = async (range: string, column: string) => {
    const query = new URLSearchParams({ date: '2026-06-30', range })
    const response = await s.get(`/v2/datasets/daily-prices/cross-section?${query}`, s.keyOn('max'))
    expect([response.statusCode, range]).toEqual([200, range])
    return numbersOf(rowsOf(response.json()), column)
  }

  it('the service compares range ends to the last digit', async () => {
    for (const value of VALUES) {
      expect.soft(await found(`close:${value}..${value}`, 'close'), `close:${value}..${value}`).toEqual([value])
      const below = VALUES.filter(other => other < value)
      expect.soft(await found(`close:..<${value}`, 'close'), `close:..<${value}`).toEqual(below)
    }
  })

  it('the service compares range ends of integer columns exactly up to 2^53', async () => {
    expect(await found(`volume:${MOST - 2}..${MOST - 2}`, 'volume')).toEqual([MOST - 2])
    expect(await found(`volume:${MOST - 1}..${MOST}`, 'volume')).toEqual([MOST - 1])
    expect(await found(`volume:..<${MOST - 3}`, 'volume')).toEqual([MOST - 4, MOST - 5, MOST - 6])
  })

  it('the service refuses range= for every dataset without numeric columns', async () => {
    for (const dataset of READS.filter(one => rangeColumns(one).length === 0)) {
      const { example, filters } = dataset.sectionOf ?? dataset
      const required = Object.entries(dataset.filters).flatMap(([name, { required, column }]) =>
        required ? `${name}=${dataset.sectionOf ? (example[0] as Row)[column] : filters[name]!.example}` : [],
      )
      const url = `${pathOf(dataset)}?${required.join('&')}&range=close:1..2`
      const response = await s.get(url, s.keyOn('max'))
      expect.soft(response.statusCode, `status of ${url}`).toBe(422)
      const fault = { loc: ['query', 'range'], type: 'unknown_parameter' }
      expect.soft(response.json().detail, `detail of ${url}`).toMatchObject([fault])
    }
  })
})
