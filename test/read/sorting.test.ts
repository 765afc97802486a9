import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pathOf, type Row } from '../../catalog/index.ts'
import { checkSorting, readsOf } from './sample-checks.ts'
import { rowsOf, type SamplesServed, samplesServed } from './samples-served.ts'

let samples: SamplesServed
beforeAll(async () => {
  samples = await samplesServed('quick')
}, 300_000)
afterAll(() => samples.s.close())

const get = (url: string) => samples.s.get(url, samples.key)

const asText = (rows: readonly Row[]): readonly string[] => rows.map(row => JSON.stringify(row))

it.each(readsOf(['daily-prices', 'earnings', 'securities-firm-master']).map(dataset => ({ at: pathOf(dataset), dataset })))(
  '$at can be sorted by every column, page by page, with nulls last',
  ({ dataset }) => checkSorting(samples, dataset),
)

describe('order of equal rows', () => {
  const days = '/v2/datasets/daily-prices?symbol=2330,2317,2454&limit=300'

  it('rows that are equal in the first sort column are sorted by the next one, and then in dataset order', async () => {
    const rows = await samples.allPages(`${days}&sort=name,-volume`)
    const names = [...new Set(rows.map(row => String(row['name'])))]
    expect(names).toHaveLength(3)
    for (const name of names) {
      const volumes = rows.filter(row => row['name'] === name).map(row => Number(row['volume']))
      expect(volumes).toEqual(volumes.toSorted((a, b) => b - a))
    }
    const byMarket = await samples.allPages(`${days}&sort=market`)
    expect(asText(byMarket)).toEqual(asText(await samples.allPages(days)))
  })

  it('sorting by the order of the dataset returns the same rows', async () => {
    const [own, sorted] = [await get(`${days}&columns=ticker,close`), await get(`${days}&columns=ticker,close&sort=-trade_date`)]
    expect(rowsOf(sorted.json())).toEqual(rowsOf(own.json()))
  })
})

describe('sort echo', () => {
  it('a sorted read echoes its sort columns in normal form', async () => {
    const url = '/v2/datasets/daily-prices?symbol=2330&limit=1'
    const query = async (sort: string) => (await get(`${url}${sort}`)).json().query
    expect(await query('&sort=%20-close%20,%20volume')).toMatchObject({ sort: '-close,volume', sort_by: 'close', sort_order: 'desc' })
    expect(await query('')).toMatchObject({ sort: null, sort_by: 'trade_date', sort_order: 'desc' })
  })

  it('reads with different sort orders have different ETags', async () => {
    const tag = async (sort: string) => (await get(`/v2/datasets/daily-prices?symbol=2330${sort}`)).headers['etag']
    expect(new Set([await tag(''), await tag('&sort=close'), await tag('&sort=-close'), await tag('&sort=close,volume')]).size).toBe(4)
  })
})

it.each(['csv', 'ndjson', 'arrow', 'parquet'])('a sorted %s read has the same rows as JSON, and a dry run counts them', async format => {
  const url = '/v2/datasets/valuation/cross-section?date=2026-06-30&sort=-pe_ratio&columns=ticker'
  const json = rowsOf((await get(url)).json())
  const other = await get(`${url}&format=${format}`)
  expect(other.headers['x-row-count']).toBe(String(json.length))
  if (format === 'csv') expect(other.body.trim().split(/\r?\n/).slice(1)).toEqual(json.map(row => row['ticker']))
  const dry = (await get(`${url}&format=${format}&dry_run=true`)).json()
  expect(dry).toMatchObject({ format, rows: json.length, would_be_refused: false })
})

describe('invalid sorting', () => {
  it.each([
    ['sort=colour', 'enum', /sort accepts ticker, market/],
    ['sort=clos', 'enum', /did you mean close\?/],
    ['sort=', 'enum', /sort accepts/],
    ['sort=-', 'enum', /sort accepts/],
    ['sort=--close', 'enum', /sort accepts/],
    ['sort=close,', 'enum', /sort accepts/],
    ['sort=close;drop', 'enum', /sort accepts/],
    ['sort=__proto__', 'enum', /sort accepts/],
    ['sort=close,-close', 'repeated_value', /twice/],
    ['sort=close&sort=volume', 'repeated_parameter', /separated by commas/],
    ['sort=close&sort_by=trade_date', 'range', /sort and sort_by cannot be combined/],
    ['sort=close&sort_order=asc', 'range', /sort and sort_order cannot be combined/],
  ])('the service refuses the sort parameters %s with %s', async (query, type, words) => {
    const response = await get(`/v2/datasets/daily-prices?symbol=2330&${query}`)
    expect(response.statusCode).toBe(422)
    expect(response.json().detail).toMatchObject([{ loc: ['query', 'sort'], msg: expect.stringMatching(words), type }])
  })

  it('latest=true cannot be combined with sort', async () => {
    const response = await get('/v2/datasets/earnings?symbol=2330&latest=true&sort=period')
    expect([response.statusCode, (await get('/v1/earnings?symbol=2330&latest=true&sort=eps')).statusCode]).toEqual([404, 422])
  })
})
