import { rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Row } from '../../catalog/index.ts'
import { taipei } from '../../src/core/index.ts'
import { openState } from '../../src/state/db.ts'
import { weekdays } from '../fixtures/publish/rows.ts'
import { recordRetired } from '../fixtures/publish/store.ts'
import { NOW, service, type TestService } from '../support.ts'

let s: TestService
/** A service with a time limit of one millisecond, which a read of 80,000 rows always exceeds. */
let hurried: TestService
let origin = ''
let spent = ''

const SESSIONS = weekdays('2017-01-02', 1_600)
const flow = (ticker: number, day: number): Row => ({
  ticker: String(ticker),
  market: 'TWSE',
  trade_date: SESSIONS[day]!,
  foreign_net_buy: ticker * 1_000 + day,
  investment_trust_net_buy: day,
  dealer_net_buy: -ticker,
})

beforeAll(async () => {
  s = await service({ examples: false, indexed: false })
  hurried = await service({ examples: false, inMemory: false, queryTimeoutMs: 1 })
  await s.publish('institutional-positioning', [flow(1_000, 0)])
  await hurried.publish(
    'institutional-positioning',
    Array.from({ length: 80_000 }, (_, index) => flow(1_000 + (index % 50), Math.floor(index / 50))),
  )
  await s.publish('securities-firm-master', s.dataset('securities-firm-master').example)
  recordRetired(s.workspace.releases, 'securities-firm-master', '20200101T000000000Z')
  const { manifest, pathOf } = s.releases.current(s.dataset('securities-firm-master'))
  for (const part of manifest.parts) await rm(pathOf(part))
  spent = s.keyOn('pro', 'spent@example.test')
  const { accountId, keyId } = s.control.keys.find(spent, NOW)!
  await s.control.ledger.record({ requestId: 'req_spent', accountId, keyId, dataset: 'events', at: taipei(NOW), credits: 99_999, rows: 0 })
  await s.app.listen({ port: 0, host: '127.0.0.1' })
  origin = `http://127.0.0.1:${(s.app.server.address() as AddressInfo).port}`
})
afterAll(() => Promise.all([s.close(), hurried.close()]))

const POSITIONING = '/v2/datasets/institutional-positioning'
const SLOW = `${POSITIONING}?limit=100000&symbol=${Array.from({ length: 50 }, (_, index) => 1_000 + index)}`
const START = '/v2/self-serve/onboarding/start'
const FIRMS = '/v2/datasets/securities-firm-master'
const BOND = '/v2/datasets/bond-yield-curve'
const long = 'a'.repeat(20_000)

type Sent = readonly [method: 'GET' | 'POST' | 'PUT', url: string, key: 'free' | 'pro' | 'spent' | null, headers?: Record<string, string>]

/** Every possible refusal of a read, by status, code and gate (the check that refuses it). */
const REFUSED: readonly (readonly [status: number, code: string, gate: string | null, sent: Sent])[] = [
  [400, 'key_in_url', null, ['GET', `${FIRMS}?api_key=x`, null]],
  [400, 'malformed_request', null, ['GET', '/v2/%zz', null]],
  [401, 'missing_api_key', 'auth', ['GET', FIRMS, null]],
  [401, 'invalid_api_key', 'auth', ['GET', FIRMS, null, { 'x-api-key': 'sk_live_x' }]],
  [401, 'conflicting_credentials', 'auth', ['GET', FIRMS, 'free', { authorization: 'Bearer sk_live_x' }]],
  [402, 'credits_exhausted', 'credits', ['GET', SLOW, 'spent']],
  [403, 'plan_required', 'plan', ['GET', BOND, 'free']],
  [404, 'unknown_path', null, ['GET', '/v3', null]],
  [404, 'unknown_dataset', null, ['GET', '/v2/datasets/bond-curve', 'free']],
  [404, 'unknown_id', null, ['GET', `${FIRMS}?release=x`, 'free']],
  [405, 'method_not_allowed', null, ['PUT', FIRMS, 'free']],
  [410, 'release_retired', null, ['GET', `${FIRMS}?release=20200101T000000000Z`, 'free']],
  [413, 'too_large', null, ['POST', START, null, { 'content-type': 'application/json', 'content-length': '70000' }]],
  [414, 'uri_too_long', null, ['GET', `${FIRMS}?symbol=${long.slice(0, 9_000)}`, 'free']],
  [415, 'unsupported_media_type', null, ['POST', FIRMS, null, { 'content-type': 'application/json', 'content-encoding': 'gzip' }]],
  [422, 'invalid_parameter', null, ['GET', `${FIRMS}?limit=0`, 'free']],
  [422, 'invalid_parameter', 'bounds', ['GET', POSITIONING, 'pro']],
  [431, 'headers_too_large', null, ['GET', FIRMS, 'free', { 'x-long': long }]],
  [500, 'integrity', 'integrity', ['GET', `${FIRMS}?release=20260701T120000000Z`, 'free']],
  [503, 'data_unavailable', 'integrity', ['GET', FIRMS, 'free']],
  [503, 'dataset_building', 'dataset_state', ['GET', '/v2/datasets/theme-taxonomy', 'free']],
  [504, 'query_timeout', 'capacity', ['GET', SLOW, 'pro']],
]

async function send([method, url, key, headers = {}]: Sent) {
  const target = url === SLOW && key !== 'spent' ? hurried : s
  const secret = key === 'spent' ? spent : key && target.keyOn(key)
  const all = { ...(secret ? { 'x-api-key': secret } : {}), ...headers }
  if (headers['x-long'] === undefined) {
    const response = await target.app.inject({ method, url, headers: all, ...(method === 'POST' ? { payload: 'x'.repeat(70_000) } : {}) })
    return { status: response.statusCode, headers: response.headers as Record<string, string>, text: response.body }
  }
  const response = await fetch(`${origin}${url}`, { method, headers: all })
  return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() }
}

const LEAK = /SELECT|read_parquet|\.parquet|node_modules|\.ts\b|\n\s+at |\/tmp\/|sqlite|duckdb|sk_live_/i

describe('error responses', () => {
  it.each(REFUSED)('a %i %s error has the common shape (gate %s)', async (status, code, gate, sent) => {
    const { status: found, headers, text } = await send(sent)
    const body = JSON.parse(text)
    expect({ status: found, code: body.error.error_code }).toEqual({ status, code })
    expect(Object.keys(body)).toEqual(['detail', 'error'])
    expect(Object.keys(body.error).slice(0, 6)).toEqual([
      'error_code',
      'error_message',
      'blocking_gate',
      'dataset',
      'request_id',
      'docs_url',
    ])
    expect(body.error.blocking_gate).toBe(gate)
    expect(body.error.request_id).toMatch(/^req_[0-9a-hjkmnp-tv-z]{26}$/)
    expect(body.error.request_id).toBe(headers['x-request-id'])
    expect(body.error.docs_url).toBe(`/docs#error-${code}`)
    expect(body.error.error_message).toMatch(/^[A-Za-z].{10,}/)
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(text).not.toMatch(LEAK)
    if (status !== 422) expect(body.detail).toBe(body.error.error_message)
    for (const fault of status === 422 ? body.detail : []) {
      expect(fault).toMatchObject({ loc: ['query', expect.any(String)], msg: expect.any(String), type: expect.any(String) })
    }
    if (status === 422) expect(body.detail.length).toBeGreaterThan(0)
  })

  it('M3: no error is charged', () => {
    const state = openState(`${s.dir}/state.sqlite`)
    expect(state.prepare('SELECT request_id FROM usage_ledger').pluck().all()).toEqual(['req_spent'])
    state.close()
  })

  it('an error with a valid key states the remaining credits', async () => {
    for (const [, code, , sent] of REFUSED.filter(([status, , , [, , key]]) => key !== null && ![405, 414, 431].includes(status))) {
      if (code === 'conflicting_credentials') continue
      const { headers } = await send(sent)
      expect(headers, code).toMatchObject({ 'x-credits-charged': expect.anything(), 'x-credits-remaining': expect.anything() })
      expect(String(headers['x-credits-charged']), code).toBe('0')
    }
  })
})

describe('error details', () => {
  const error = async (sent: Sent) => JSON.parse((await send(sent)).text).error

  it.each([
    ['earnings', '/v1/earnings'],
    ['all-segments', '/v1/segments/all'],
    ['all_segments', '/v1/segments/all'],
    ['company_earnings', '/v1/financial-reports/company-earnings'],
    ['/', '/v2/datasets'],
  ])('the error for /v2/datasets/%s states the path %s', async (name, path) => {
    const refusal = await error(['GET', `/v2/datasets/${name}`, 'free'])
    expect(refusal).toMatchObject({ error_code: 'unknown_dataset', read_at: path, error_message: expect.stringContaining(path) })
  })

  it('the error at the path of a dataset itself has no read_at', async () => {
    expect(await error(['GET', '/v2/datasets/daily-prices', 'free'])).not.toHaveProperty('read_at')
  })

  it('errors state credits, plans, suggestions and allowed values', async () => {
    expect(await error(['GET', SLOW, 'spent'])).toMatchObject({
      credits_needed: 2,
      credits_remaining: 1,
      credits_limit: 100_000,
      resets_at: '2026-08-01T00:00:00.000+08:00',
      upgrade_url: '/v2/product/tiers',
    })
    expect(await error(['GET', BOND, 'free'])).toMatchObject({
      dataset: 'bond_yield_curve',
      required_plan: 'max',
      current_plan: 'free',
      upgrade_url: '/v2/product/tiers',
    })
    expect(await error(['GET', '/v2/datasets/bond-yeild-curve', 'free'])).toMatchObject({ did_you_mean: 'bond-yield-curve' })
    expect(await error(['GET', '/v2/datasets/zzz', 'free'])).toMatchObject({
      did_you_mean: null,
      allowed: expect.arrayContaining(['events']),
    })
    expect(await error(['PUT', FIRMS, 'free'])).toMatchObject({ allowed: ['GET', 'HEAD'] })
  })
})

describe('order of checks', () => {
  const exhausted = (url: string): Sent => ['GET', url, 'spent']
  it.each<[string, number, Sent]>([
    ['the shape of the request before its key', 400, ['GET', '/v2/datasets/nope?token=x', null]],
    ['the key before the dataset', 401, ['GET', '/v2/datasets/nope', null]],
    ['the key before the plan', 401, ['GET', `${BOND}?limit=0`, null]],
    ['the dataset before its parameters', 404, ['GET', '/v2/datasets/nope?limit=0', 'free']],
    ['the plan before the parameters', 403, ['GET', `${BOND}?limit=0`, 'free']],
    ['the plan before the state of the dataset', 403, ['GET', '/v2/datasets/company-risk-events?symbol=2330', 'free']],
    ['the parameters before the credits', 422, exhausted(`${POSITIONING}?symbol=1000&limit=0`)],
    ['the credits before the read', 402, exhausted(SLOW)],
  ])('a request is checked in this order: %s', async (_, status, sent) => {
    expect((await send(sent)).status).toBe(status)
  })
})

describe('the request id', () => {
  it('every response has a new request id, and the caller’s request id is ignored', async () => {
    const ids: unknown[] = []
    for (const url of Array.from({ length: 10 }, () => [FIRMS, '/nowhere', `${FIRMS}?limit=0`]).flat())
      ids.push((await send(['GET', url, 'pro', { 'x-request-id': 'req_mine', 'request-id': 'req_mine' }])).headers['x-request-id'])
    expect(new Set(ids).size).toBe(30)
    expect(ids).not.toContain('req_mine')
  })
})
