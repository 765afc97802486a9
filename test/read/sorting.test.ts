import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ColumnType, crossSections, loadCatalog, pathOf, type Row, served } from '../../catalog/index.ts'
import { rowsOf, type SamplesServed, samplesServed } from './samples-served.ts'

const catalog = await loadCatalog()
const reads = [...served(catalog), ...crossSections(catalog)].filter(({ planned }) => !planned)

let samples: SamplesServed
beforeAll(async () => {
  samples = await samplesServed()
}, 300_000)
afterAll(() => samples.s.close())

const get = (url: string) => samples.s.get(url, samples.key)

const turned = (url: string) => samples.turned(url)

/** Numbers by size, everything else by the bytes it is stored as; JSON is not compared, since it is sent in another form. */
function compare(type: ColumnType, one: unknown, other: unknown): number {
  if (type === 'number' || type === 'integer' || type === 'boolean') return Number(one) - Number(other)
  return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)))
}

const asText = (rows: readonly Row[]): readonly string[] => rows.map(row => JSON.stringify(row))

describe.each(reads.map(dataset => ({ at: pathOf(dataset), dataset })))('$at sorted', ({ dataset }) => {
  it.each(Object.entries(dataset.columns))(
    'by %s: every row once, page by page, in that order, what has no value last',
    async (name, { type }) => {
      const url = `${pathOf(dataset)}?${await samples.required(dataset)}&limit=400`
      const whole = await turned(url)
      expect(whole).not.toEqual([])
      for (const [sort, sign] of [
        [name, 1],
        [`-${name}`, -1],
      ] as const) {
        const rows = await turned(`${url.replace('limit=400', `limit=${Math.max(1, Math.ceil(whole.length / 3))}`)}&sort=${sort}`)
        expect(asText(rows).toSorted()).toEqual(asText(whole).toSorted())
        if (type === 'json') continue
        const values = rows.map(row => row[name])
        const filled = values.filter(value => value !== null)
        expect(values.slice(0, filled.length)).toEqual(filled)
        for (const [at, value] of filled.slice(1).entries()) expect(sign * compare(type, value, filled[at])).toBeGreaterThanOrEqual(0)
      }
    },
  )
})

describe('rows that are equal in what they are sorted by', () => {
  const days = '/v2/datasets/daily-prices?symbol=2330,2317,2454&limit=300'

  it('are sorted by the next column named, then as the dataset has them', async () => {
    const rows = await turned(`${days}&sort=name,-volume`)
    const names = [...new Set(rows.map(row => String(row['name'])))]
    expect(names).toHaveLength(3)
    for (const name of names) {
      const volumes = rows.filter(row => row['name'] === name).map(row => Number(row['volume']))
      expect(volumes).toEqual(volumes.toSorted((a, b) => b - a))
    }
    const byMarket = await turned(`${days}&sort=market`)
    expect(asText(byMarket)).toEqual(asText(await turned(days)))
  })

  it('are read as ever where the order is the dataset’s own', async () => {
    const [own, sorted] = [await get(`${days}&columns=ticker,close`), await get(`${days}&columns=ticker,close&sort=-trade_date`)]
    expect(rowsOf(sorted.json())).toEqual(rowsOf(own.json()))
  })
})

describe('the echo of a sorted read', () => {
  it('names the columns as they were understood', async () => {
    const url = '/v2/datasets/daily-prices?symbol=2330&limit=1'
    const query = async (sort: string) => (await get(`${url}${sort}`)).json().query
    expect(await query('&sort=%20-close%20,%20volume')).toMatchObject({ sort: '-close,volume', sort_by: 'close', sort_order: 'desc' })
    expect(await query('')).toMatchObject({ sort: null, sort_by: 'trade_date', sort_order: 'desc' })
  })

  it('is that of other parameters, so that its tag is another', async () => {
    const tag = async (sort: string) => (await get(`/v2/datasets/daily-prices?symbol=2330${sort}`)).headers['etag']
    expect(new Set([await tag(''), await tag('&sort=close'), await tag('&sort=-close'), await tag('&sort=close,volume')]).size).toBe(4)
  })
})

it.each(['csv', 'ndjson', 'arrow', 'parquet'])(
  'a sorted read in %s has the rows it has in JSON, and a dry run tells how many',
  async format => {
    const url = '/v2/datasets/valuation/cross-section?date=2026-06-30&sort=-pe_ratio&columns=ticker'
    const json = rowsOf((await get(url)).json())
    const other = await get(`${url}&format=${format}`)
    expect(other.headers['x-row-count']).toBe(String(json.length))
    if (format === 'csv') expect(other.body.trim().split(/\r?\n/).slice(1)).toEqual(json.map(row => row['ticker']))
    const dry = (await get(`${url}&format=${format}&dry_run=true`)).json()
    expect(dry).toMatchObject({ format, rows: json.length, would_be_refused: false })
  },
)

describe('what cannot be sorted by', () => {
  it.each([
    ['sort=colour', 'enum', /sort may name ticker, market/],
    ['sort=clos', 'enum', /did you mean close\?/],
    ['sort=', 'enum', /sort may name/],
    ['sort=-', 'enum', /sort may name/],
    ['sort=--close', 'enum', /sort may name/],
    ['sort=close,', 'enum', /sort may name/],
    ['sort=close;drop', 'enum', /sort may name/],
    ['sort=__proto__', 'enum', /sort may name/],
    ['sort=close,-close', 'repeated_value', /twice/],
    ['sort=close&sort=volume', 'repeated_parameter', /with commas/],
    ['sort=close&sort_by=trade_date', 'range', /does not go with sort_by/],
    ['sort=close&sort_order=asc', 'range', /does not go with sort_order/],
  ])('%s is refused: %s', async (query, type, words) => {
    const response = await get(`/v2/datasets/daily-prices?symbol=2330&${query}`)
    expect(response.statusCode).toBe(422)
    expect(response.json().detail).toMatchObject([{ loc: ['query', 'sort'], msg: expect.stringMatching(words), type }])
  })

  it('the newest row is chosen by its own order', async () => {
    const response = await get('/v2/datasets/earnings?symbol=2330&latest=true&sort=period')
    expect([response.statusCode, (await get('/v1/earnings?symbol=2330&latest=true&sort=eps')).statusCode]).toEqual([404, 422])
  })
})
