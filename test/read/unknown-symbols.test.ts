import { afterAll, beforeAll, expect, it } from 'vitest'
import { PLANS, type Row } from '../../catalog/index.ts'
import { NOW, service, type TestService } from '../support.ts'
import { holder, spend, usageOf } from '../usage/ledger.ts'

const UNKNOWN = '/v2/datasets/daily-prices?symbol=233O'

let s: TestService
beforeAll(async () => {
  s = await service({ indexed: false, answerBytes: 2 ** 20 })
  await s.search.refresh()
})
afterAll(() => s.close())

const get = (url: string, headers: Readonly<Record<string, string>> = {}) => s.get(url, s.keyOn('max'), headers)

it('an unknown ticker is reported with similar tickers and costs nothing', async () => {
  const { statusCode, headers, ...response } = await get(UNKNOWN)
  expect(statusCode).toBe(200)
  expect(headers).toMatchObject({
    'x-empty-reason': 'unknown_symbol',
    'x-unknown-symbols': '233O',
    'x-did-you-mean': '2330',
    'x-credits-charged': '0',
    'x-row-count': '0',
  })
  expect(headers['x-warnings']).toMatch(/(^|, )unknown_symbol$/)
  const { envelope, warnings } = response.json()
  expect(envelope.quality).toMatchObject({
    empty_reason: 'unknown_symbol',
    unknown_symbols: [{ symbol: '233O', did_you_mean: [{ symbol: '2330', name: '台積電' }] }],
  })
  expect(warnings).toContain('unknown_symbol')
})

it('if the ticker is the name of a company, the answer suggests the ticker of this company', async () => {
  expect((await get('/v2/datasets/daily-prices?symbol=TSMC')).headers['x-did-you-mean']).toBe('2330')
})

it('an unknown ticker without similar tickers has no suggestion', async () => {
  const { headers } = await get('/v2/datasets/daily-prices?symbol=777777')
  expect([headers['x-empty-reason'], headers['x-did-you-mean']]).toEqual(['unknown_symbol', undefined])
})

it('a list with a known ticker returns the rows of this ticker at the usual price and names the unknown tickers', async () => {
  const { headers, ...response } = await get('/v2/datasets/daily-prices?symbol=2330,233O')
  expect(headers).toMatchObject({ 'x-unknown-symbols': '233O', 'x-credits-charged': '1' })
  expect(headers['x-empty-reason']).toBeUndefined()
  expect(response.json().envelope.data).toEqual((await get('/v2/datasets/daily-prices?symbol=2330')).json().envelope.data)
})

it('a ticker counts as known if any dataset has it', async () => {
  const { headers } = await get('/v2/datasets/company-risk-events?symbol=2881')
  expect(headers['x-empty-reason']).not.toBe('unknown_symbol')
  expect(headers).not.toHaveProperty('x-unknown-symbols')
})

it('an unknown ticker costs nothing in every format, in a profile and in a dry run, even without credits', async () => {
  const poor = holder(s, 'free', 'unknown@example.test', NOW)
  await spend(s, poor, PLANS.free.creditsPerMonth, 0, NOW)
  for (const url of [UNKNOWN, `${UNKNOWN}&format=csv`, `${UNKNOWN}&format=arrow`, UNKNOWN.replace('?', '/profile?')]) {
    const { statusCode, headers } = await s.get(url, poor.key)
    expect.soft([statusCode, headers['x-credits-charged']], url).toEqual([200, '0'])
  }
  expect((await s.get(`${UNKNOWN}&dry_run=true`, poor.key)).json()).toMatchObject({ rows: 0, credits: 0, would_be_refused: false })
  expect(usageOf(s.dir, poor.accountId)).toMatchObject({ errors: 0 })
  expect(usageOf(s.dir, poor.accountId).entries).toHaveLength(1)
})

it('the ETag of a read of an unknown ticker changes once a dataset has the ticker', async () => {
  const url = '/v2/datasets/company-risk-events?symbol=4321'
  const before = await get(url)
  expect(before.headers['x-empty-reason']).toBe('unknown_symbol')
  const [security] = s.dataset('securities').example as readonly Row[]
  await s.publish('securities', [{ ...security, ticker: '4321', isin: 'TW0004321008' }], { accept: ['row_count_drift'] })
  await s.search.refresh()
  const after = await get(url, { 'if-none-match': String(before.headers['etag']) })
  expect([after.statusCode, after.headers['x-empty-reason']]).toEqual([200, 'not_captured'])
})
