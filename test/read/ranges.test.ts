import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { crossSections, loadCatalog, pathOf, type Row, rangeColumns, served } from '../../catalog/index.ts'
import { quote } from '../fixtures/publish/rows.ts'
import { service, type TestService } from '../support.ts'
import { rowsOf, type SamplesServed, samplesServed } from './samples-served.ts'

const catalog = await loadCatalog()
const all = [...served(catalog), ...crossSections(catalog)].filter(({ planned }) => !planned)
const reads = all.filter(dataset => rangeColumns(dataset).length > 0).map(dataset => ({ at: pathOf(dataset), dataset }))

let samples: SamplesServed
beforeAll(async () => {
  samples = await samplesServed()
}, 300_000)
afterAll(() => samples.s.close())

const get = (url: string, headers: Record<string, string> = {}) => samples.s.get(url, samples.key, headers)

const turned = (url: string) => samples.turned(url)

const numbersOf = (rows: readonly Row[], column: string): readonly number[] =>
  rows.map(row => row[column]).filter((value): value is number => typeof value === 'number')

describe.each(reads)('$at with a range', ({ dataset }) => {
  it.each(rangeColumns(dataset))('of %s has the rows in it and no others, in every way they are read', async column => {
    const url = `${pathOf(dataset)}?${await samples.required(dataset)}`
    const whole = await turned(`${url}&limit=2000`)
    const values = [...new Set(numbersOf(whole, column))].sort((a, b) => a - b)
    const [low = 0, last = 0] = [values[Math.floor(values.length / 4)], values[Math.floor((3 * values.length) / 4)]]
    const high = last > low ? last : low + 1
    const cases: readonly (readonly [range: string, isIn: (value: number) => boolean])[] = [
      [`${low}..${high}`, value => value >= low && value <= high],
      [`${low}..`, value => value >= low],
      [`..${high}`, value => value <= high],
      [`..<${high}`, value => value < high],
      [`${low}..${low}`, value => value === low],
    ]
    for (const [text, isIn] of cases) {
      const range = new URLSearchParams({ range: `${column}:${text}` })
      const expected = whole.filter(row => typeof row[column] === 'number' && isIn(row[column]))
      const page = Math.max(1, Math.ceil(expected.length / 2))
      expect([text, await turned(`${url}&${range}&limit=${page}`)]).toEqual([text, expected])
      const dry = (await get(`${url}&${range}&limit=100000&dry_run=true`)).json()
      expect(dry).toMatchObject({ rows: expected.length, would_be_refused: false })
    }
    const range = new URLSearchParams({ range: `${column}:${low}..<${high}` })
    const lines = (await get(`${url}&${range}&limit=100000&format=ndjson`)).body.split('\n').filter(Boolean)
    const counted = (
      await get(
        `${pathOf(dataset).replace(/^\/v1\/.*/, `/v2/datasets/${dataset.slug}`)}/profile?${await samples.required(dataset)}&${range}`,
      )
    ).json()
    const expected = whole.filter(row => typeof row[column] === 'number' && row[column] >= low && row[column] < high)
    expect([lines.length, counted.row_count, counted.filters.range]).toEqual([expected.length, expected.length, range.get('range')])
  })
})

it.each(all.filter(dataset => rangeColumns(dataset).length === 0).map(dataset => ({ at: pathOf(dataset), dataset })))(
  '$at, which has no column of numbers, takes no range',
  async ({ dataset }) => {
    const response = await get(`${pathOf(dataset)}?${await samples.required(dataset)}&range=close:1..2`)
    expect(response.statusCode).toBe(422)
    expect(response.json().detail).toMatchObject([{ loc: ['query', 'range'], type: 'unknown_parameter' }])
  },
)

describe('a read with a range', () => {
  const PRICES = '/v2/datasets/daily-prices?symbol=2330,2317,2454&start_date=2025-07-01&limit=2000'

  it('takes several columns, each once, and says in its echo how they were understood', async () => {
    const whole = rowsOf((await get(PRICES)).json())
    const close = numbersOf(whole, 'close').toSorted((a, b) => a - b)[Math.floor(whole.length / 2)]!
    const volume = numbersOf(whole, 'volume').toSorted((a, b) => a - b)[Math.floor(whole.length / 2)]!
    const response = await get(`${PRICES}&range=%20close:${close}..%20,%20volume:..${volume}`)
    expect(response.json().query.range).toBe(`close:${close}..,volume:..${volume}`)
    const expected = whole.filter(row => Number(row['close']) >= close && Number(row['volume']) <= volume)
    expect(expected.length).toBeGreaterThan(0)
    expect(rowsOf(response.json())).toEqual(expected)
  })

  it('may leave out the column it filters by, and sort by another', async () => {
    const rows = rowsOf((await get(`${PRICES}&range=close:0..&columns=ticker,volume&sort=-volume`)).json())
    expect(Object.keys(rows[0]!)).toEqual(['ticker', 'volume'])
    expect(numbersOf(rows, 'volume')).toEqual(numbersOf(rows, 'volume').toSorted((a, b) => b - a))
  })

  it('has a tag of its own, and costs what it costs without', async () => {
    const [plain, one, other] = [await get(PRICES), await get(`${PRICES}&range=close:1..`), await get(`${PRICES}&range=close:2..`)]
    expect(new Set([plain, one, other].map(({ headers }) => headers['etag'])).size).toBe(3)
    expect([one, other].map(({ headers }) => headers['x-credits-charged'])).toEqual(
      [plain, plain].map(({ headers }) => headers['x-credits-charged']),
    )
    expect((await get(`${PRICES}&range=close:1..`, { 'if-none-match': String(one.headers['etag']) })).statusCode).toBe(304)
    const none = await get(`${PRICES}&range=close:1e12..`)
    expect([none.statusCode, none.headers['x-empty-reason'], rowsOf(none.json())]).toEqual([200, 'no_match', []])
  })

  it.each([
    ['close:1..', ['close:01..', 'close:1.0..', 'close:1e0..', 'close:0.1E1..']],
    ['close:0..<1e21', ['close:-0..<1e21', 'close:0.0..<1000e18']],
    ['volume:0..10', ['volume:-0..010']],
  ])('is the same however its ends are written: %s', async (range, others) => {
    const asked = await Promise.all([range, ...others].map(one => get(`${PRICES}&${new URLSearchParams({ range: one })}`)))
    expect(asked.map(response => response.json().query.range)).toEqual(asked.map(() => range))
    expect(new Set(asked.map(({ headers }) => headers['etag'])).size).toBe(1)
  })

  it('is narrowed first where the newest row is asked for', async () => {
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

describe('a range that cannot be', () => {
  it.each([
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
    ['clos:1..2', 'enum', /range may name open, high.*did you mean close\?/],
    ['trade_date:2026-01-01..', 'enum', /trade_date holds no numbers; range may name open/],
    ['__proto__:1..', 'enum', /range may name/],
    ['constructor:1..2', 'enum', /range may name/],
    ['close:250..100', 'range', /smaller end comes first/],
    ['close:100..<100', 'range', /no number is in the range/],
    ['close:1..2,close:3..4', 'repeated_value', /names close twice/],
    ['close:1e400..', 'range', /no number that large/],
    ['close:..-1e999', 'range', /no number that large/],
    ['close:1e-400..', 'range', /64 bits.* 0 is the nearest/],
    ['close:0.1234567890123456789012345..', 'range', /64 bits.* 0\.12345678901234568 is the nearest/],
    ['close:0.10000000000000001..', 'range', /0\.1 is the nearest/],
    ['volume:1.5..', 'range', /volume holds whole numbers/],
    ['volume:1e3..', 'range', /whole numbers/],
    ['volume:..9007199254740993', 'range', /up to 9007199254740992/],
    ['volume:1234567890123456789012345..', 'range', /whole numbers/],
  ])('%s is refused: %s', async (range, type, words) => {
    for (const url of [`/v2/datasets/daily-prices?symbol=2330`, '/v2/datasets/daily-prices/profile?symbol=2330']) {
      const response = await get(`${url}&${new URLSearchParams({ range })}`)
      expect([response.statusCode, url]).toEqual([422, url])
      expect(response.json().detail).toMatchObject([{ loc: ['query', 'range'], msg: expect.stringMatching(words), type }])
    }
  })

  it('is every mistake at once, and two of them where it is sent twice', async () => {
    const detail = async (query: string) => (await get(`/v2/datasets/daily-prices?symbol=2330&${query}`)).json().detail
    expect(await detail('range=clos:1..2,close:,volume:1.5..')).toMatchObject([{ type: 'enum' }, { type: 'pattern' }, { type: 'range' }])
    expect(await detail('range=close:1..2&range=volume:1..')).toMatchObject([
      { type: 'repeated_parameter', msg: expect.stringMatching(/with commas/) },
    ])
  })
})

describe('a list of ranges', () => {
  const refused = (range: string) => get(`/v2/datasets/daily-prices?symbol=2330&range=${range}`)

  it.each(['a,', 'clos:1..2,', 'close:250..100,', 'close:1..2,'])('longer than there are columns is one mistake: %s…', async part => {
    const response = await refused(part.repeat(Math.floor(7_000 / part.length)))
    expect([response.statusCode, response.json().detail]).toMatchObject([422, [{ type: 'too_many' }]])
    expect(response.json().detail[0].msg).toMatch(/parts, and only \d+ columns may be named/)
    expect(response.body.length).toBeLessThan(2_000)
  })

  it('says the columns there are once, whatever is wrong with it', async () => {
    const detail = (await refused('clos:1..2,opne:1..2,close,volume:2..1,high:2..1,low:1..,low:2..')).json().detail
    expect(detail.map(({ type }: { type: string }) => type)).toEqual(['enum', 'pattern', 'range', 'repeated_value'])
    expect(detail[0]).toMatchObject({ input: 'clos:1..2', msg: expect.stringMatching(/did you mean close/) })
  })
})

describe('ends of ranges', () => {
  let s: TestService
  const MOST = 2 ** 53
  const VALUES = [0.1, 0.1 + 0.2, 0.3, 1e-7, 123_456.789, 999_999.9999999999]
  beforeAll(async () => {
    s = await service()
    const rows = VALUES.map((close, at) =>
      quote(String(1101 + at), '2026-06-30', MOST - 1 - at, { open: close, high: close, low: close, close, turnover: 1 }),
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

  it.each(VALUES)('are compared to the last digit: %s', async value => {
    expect(await found(`close:${value}..${value}`, 'close')).toEqual([value])
    expect(await found(`close:..<${value}`, 'close')).toEqual(VALUES.filter(other => other < value))
  })

  it('are whole numbers exactly, as far as a column of them goes', async () => {
    expect(await found(`volume:${MOST - 2}..${MOST - 2}`, 'volume')).toEqual([MOST - 2])
    expect(await found(`volume:${MOST - 1}..${MOST}`, 'volume')).toEqual([MOST - 1])
    expect(await found(`volume:..<${MOST - 3}`, 'volume')).toEqual([MOST - 4, MOST - 5, MOST - 6])
  })
})
