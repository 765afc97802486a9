import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pathOf, type Row, served } from '../../catalog/index.ts'
import { service, type TestService } from '../support.ts'

let s: TestService
beforeAll(async () => {
  s = await service({ indexed: false })
  const [flow] = s.dataset('institutional-positioning').example as readonly Row[]
  const stored = Object.entries(flow!).filter(([name]) => s.dataset('institutional-positioning').columns[name]!.derived === undefined)
  const row = (ticker: string, trade_date: string, foreign_net_buy: number) => ({
    ...Object.fromEntries(stored),
    ticker,
    trade_date,
    foreign_net_buy,
  })
  await s.publish(
    'institutional-positioning',
    [
      ...[row('00632R', '2026-06-30', 1), row('2317', '2026-06-30', 2), row('2330', '2026-06-30', 3)],
      ...[row('2317', '2026-06-29', 4), row('2330', '2026-06-29', 5), row('2330', '2026-06-26', 6)],
    ],
    { accept: ['row_count_drift'] },
  )
})
afterAll(() => s.close())

async function read(url: string) {
  const response = await s.get(`/v2/datasets/${url}`, s.keyOn('max'))
  return { status: response.statusCode, body: response.json() }
}
const flows = async (symbol: string): Promise<readonly unknown[]> =>
  (await read(`institutional-positioning?symbol=${symbol}`)).body.data.map((row: { ticker: string; trade_date: string }) => [
    row.ticker,
    row.trade_date,
  ])

describe('ticker lists', () => {
  it('symbol accepts several tickers, and rows are sorted by newest day first', async () => {
    expect(await flows('2330,2317')).toEqual([
      ['2317', '2026-06-30'],
      ['2330', '2026-06-30'],
      ['2317', '2026-06-29'],
      ['2330', '2026-06-29'],
      ['2330', '2026-06-26'],
    ])
  })

  it('symbol matches ticker letters in either case', async () => {
    expect(await flows('00632r')).toEqual([['00632R', '2026-06-30']])
    expect(await flows('00632R')).toEqual([['00632R', '2026-06-30']])
  })

  it('symbol ignores repeated tickers and tickers without rows', async () => {
    expect(await flows('2317,2317,9999')).toEqual([
      ['2317', '2026-06-30'],
      ['2317', '2026-06-29'],
    ])
  })

  it('symbol accepts 500 tickers and refuses more', async () => {
    const tickers = Array.from({ length: 501 }, (_, index) => String(3_000 + index))
    expect((await read(`institutional-positioning?symbol=${tickers.slice(1).join(',')}`)).status).toBe(200)
    const { status, body } = await read(`institutional-positioning?symbol=${tickers.join(',')}`)
    expect(status).toBe(422)
    expect(body.detail).toMatchObject([
      { loc: ['query', 'symbol'], type: 'too_many', msg: 'symbol accepts at most 500 values, separated by commas' },
    ])
  })

  it.each(['2330,', ',2330', '2330,,2317', '2330, 2317', '233'])(
    'the service refuses symbol=%s, which is not a list of tickers',
    async symbol => {
      const { status, body } = await read(`institutional-positioning?symbol=${encodeURIComponent(symbol)}`)
      expect(status).toBe(422)
      expect(body.detail).toMatchObject([{ loc: ['query', 'symbol'], type: 'pattern' }])
    },
  )

  it('Q6: the service refuses a read of institutional-positioning without symbol', async () => {
    const { status, body } = await read('institutional-positioning')
    expect(status).toBe(422)
    expect(body.error).toMatchObject({ error_code: 'invalid_parameter', blocking_gate: 'bounds', dataset: 'institutional-positioning' })
    expect(body.detail).toMatchObject([{ loc: ['query', 'symbol'], type: 'missing' }])
  })
})

describe('lists in every dataset', () => {
  const lists = () => served(s.catalog).filter(({ filters }) => filters['symbol']?.op === 'in')

  it('every dataset accepts a list of symbols, except reports of one company and the bond curve', () => {
    const others = served(s.catalog).filter(({ filters }) => filters['symbol'] && filters['symbol'].op !== 'in')
    expect(others.map(({ slug }) => slug).toSorted()).toEqual(['all-segments', 'bond-yield-curve', 'company-earnings', 'earnings'])
  })

  it('every dataset that accepts a list of symbols accepts 500 symbols', async () => {
    for (const dataset of lists()) {
      const symbols = Array.from({ length: 500 }, (_, index) => String(3_000 + index)).join(',')
      const response = await s.get(`${pathOf(dataset)}?symbol=${symbols}&limit=1`, s.keyOn('max'))
      expect.soft(response.statusCode, dataset.slug).toBe(200)
    }
  })

  it('a list of symbols returns the rows of every symbol', async () => {
    const firms = (await read('securities-firm-master?symbol=9998,9997&columns=broker_id')).body.data
    expect(firms.map(({ broker_id }: { broker_id: string }) => broker_id).toSorted()).toEqual(['9997', '9998'])
    expect((await read('theme-taxonomy?symbol=2330,9999&columns=symbol')).body.envelope.data).not.toEqual([])
    expect((await read('company-risk-events?symbol=2330,9999')).body.envelope.data).toEqual(
      (await read('company-risk-events?symbol=2330')).body.envelope.data,
    )
  })

  it.each(['/v1/earnings', '/v1/segments/all', '/v1/financial-reports/company-earnings'])(
    '%s refuses a list of tickers and names the reason',
    async path => {
      const response = await s.get(`${path}?symbol=2330,2317`, s.keyOn('max'))
      expect(response.statusCode).toBe(422)
      expect(response.json().detail).toEqual([
        {
          loc: ['query', 'symbol'],
          type: 'too_many',
          msg: 'symbol takes one ticker only, because the default report type is chosen for each company. Send one request per ticker.',
          input: '2330,2317',
        },
      ])
    },
  )

  it('bond-yield-curve refuses a list of tenors and names the reason', async () => {
    const { status, body } = await read('bond-yield-curve?symbol=2Y,10Y')
    expect(status).toBe(422)
    expect(body.detail[0].msg).toMatch(/^symbol takes one tenor only, because TWGB has all of them/)
  })
})

describe('bond tenors', () => {
  const tenors = async (query: string): Promise<readonly string[]> =>
    (await read(`bond-yield-curve?${query}`)).body.data.map((row: { tenor_label: string }) => row.tenor_label)

  it.each(['TWGB', 'twgb'])('symbol=%s selects every tenor', async symbol => {
    expect(await tenors(`symbol=${symbol}`)).toEqual(['2Y', '10Y', '10Y'])
  })

  it.each(['10Y', '10y'])('symbol=%s selects one tenor', async symbol => {
    expect(await tenors(`symbol=${symbol}`)).toEqual(['10Y', '10Y'])
  })

  it('a row must match both symbol and tenor_label', async () => {
    expect(await tenors('symbol=TWGB&tenor_label=2Y')).toEqual(['2Y'])
    expect(await tenors('symbol=10Y&tenor_label=2Y')).toEqual([])
  })

  it.each(['bond-yield-curve', 'company-risk-events', 'events'])('the service refuses a read of %s without symbol', async slug => {
    const { status, body } = await read(slug)
    expect(status).toBe(422)
    expect(body.detail).toMatchObject([{ loc: ['query', 'symbol'], type: 'missing' }])
  })
})

describe('codes', () => {
  it('broker branch codes are case-sensitive', async () => {
    const names = async (code: string) =>
      (await read(`broker-branch-reference?branch_code=${code}`)).body.data.map((row: { branch_name: string }) => row.branch_name)
    expect(await names('585B')).toEqual(['永和'])
    expect(await names('585b')).toEqual(['內湖'])
  })

  it('index codes and markets match in either case', async () => {
    const { body } = await read('index-classification?index_code=ix0043&market=tpex')
    expect(body.envelope.data.map((row: { index_name: string }) => row.index_name)).toEqual(['櫃買指數'])
  })

  it('an unknown ticker has no rows', async () => {
    const { status, body } = await read('theme-taxonomy?symbol=9999')
    expect(status).toBe(200)
    expect(body.envelope.data).toEqual([])
  })
})

describe('broker names', () => {
  beforeAll(async () => {
    const [branch] = s.dataset('broker-branch-reference').example as readonly Row[]
    const rows = ['臺新', '台新', '臺灣', '統一'].map((name, at) => ({ ...branch, branch_code: `990${at}`, parent_broker_name: name }))
    await s.publish('broker-branch-reference', rows, { accept: ['row_count_drift'] })
  })
  const answer = async (name: string) =>
    s.get(`/v2/datasets/broker-branch-reference?parent_broker_name=${encodeURIComponent(name)}`, s.keyOn('max'))
  const names = async (name: string): Promise<readonly string[]> =>
    (await answer(name)).json().data.map((row: { parent_broker_name: string }) => row.parent_broker_name)

  it('parent_broker_name treats 臺 and 台 as equal, and the rows have the names as published', async () => {
    expect(await names('台新')).toEqual(['臺新', '台新'])
    expect(await names('臺新')).toEqual(['臺新', '台新'])
    expect(await names('台灣')).toEqual(['臺灣'])
    expect(await names('統一')).toEqual(['統一'])
    expect(await names('新')).toEqual([])
  })

  it('both spellings of parent_broker_name have the same ETag', async () => {
    expect((await answer('臺新')).headers['etag']).toBe((await answer('台新')).headers['etag'])
  })
})
