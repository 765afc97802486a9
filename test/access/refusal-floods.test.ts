import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, expect, it, vi } from 'vitest'
import { PLANS } from '../../catalog/index.ts'
import { taipei } from '../../src/core/index.ts'
import { openState } from '../../src/state/db.ts'
import { openLedger } from '../../src/usage/ledger.ts'
import { NOW, service } from '../support.ts'
import { holder, usageOf } from '../usage/ledger.ts'

afterEach(() => void vi.useRealTimers())

it('repeated refusals are logged once and then counted, per account and code', async () => {
  // The fake clock does not advance, so the rate limits do not refill.
  vi.useFakeTimers({ toFake: ['performance'] })
  const s = await service({ examples: false, limits: true })
  await s.publish('securities-firm-master', s.dataset('securities-firm-master').example)
  const [account, other] = ['one', 'other'].map(name => holder(s, 'free', `${name}@example.test`, NOW))
  const ask = async (key: string, times: number): Promise<void> => {
    for (let time = 0; time < times; time++) await s.get('/v2/datasets/securities-firm-master', key)
  }
  const { requestsPerMinute } = PLANS.free
  await ask(account!.key, requestsPerMinute + 20)
  await ask(other!.key, requestsPerMinute + 1)
  await ask('sk_live_none', 3)
  await s.close()
  const refused = s.lines.map(line => JSON.parse(line)).filter(({ event }) => event === 'refused')
  const route = '/v2/datasets/securities-firm-master'
  const first = { request_id: expect.stringMatching(/^req_/), route, code: 'rate_limited', status: 429 }
  expect(refused).toMatchObject([
    { ...first, account: account!.accountId },
    { ...first, account: other!.accountId },
    { route, code: 'invalid_api_key', account: null },
    { code: 'rate_limited', account: account!.accountId, requests: 19 },
    { code: 'invalid_api_key', account: null, requests: 2 },
  ])
  expect(refused).toHaveLength(5)
})

it('repeated refusals without an account are logged once and then counted, per code', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const s = await service({ examples: false })
  await s.publish('securities-firm-master', s.dataset('securities-firm-master').example)
  const { key } = holder(s, 'free', 'own@example.test', NOW)
  const read = '/v2/datasets/securities-firm-master'
  const send = (method: 'GET' | 'DELETE', url: string, headers: Record<string, string> = {}) => s.app.inject({ method, url, headers })
  for (let time = 0; time < 5; time++) {
    await send('GET', `${read}?limit=${time}`)
    await send('GET', read, { 'x-api-key': `sk_live_${time}` })
    await send('GET', `/none/${time}`)
    await send('DELETE', time % 2 === 0 ? '/v2/datasets' : '/healthz')
    await send('GET', `/v2/updates?limit=no${time}`)
    await send('GET', `${read}?limit=no${time}`, { 'x-api-key': key })
  }
  const refused = () => s.lines.map(line => JSON.parse(line)).filter(({ event }) => event === 'refused')
  const codes = ['missing_api_key', 'invalid_api_key', 'unknown_path', 'method_not_allowed', 'invalid_parameter']
  const firsts = refused().filter(({ account }) => account === null)
  expect(firsts.map(({ code }) => code)).toEqual(codes)
  for (const record of firsts) expect(record).toMatchObject({ request_id: expect.stringMatching(/^req_/), status: expect.any(Number) })
  expect(refused().filter(({ account }) => account === undefined)).toMatchObject(Array(5).fill({ route: read, code: 'invalid_parameter' }))
  vi.advanceTimersByTime(10_000)
  expect(refused().slice(10)).toMatchObject(codes.map(code => ({ code, account: null, requests: 4, seconds: 10 })))
  expect(refused()).toHaveLength(15)
  vi.advanceTimersByTime(10_000)
  await send('GET', '/none')
  expect(refused().at(-1)).toMatchObject({ code: 'unknown_path', account: null, status: 404 })
  await s.close()
  expect(refused()).toHaveLength(16)
})

it('repeated refusals are stored in a small number of rows, and each refusal counts in the usage of its day', async () => {
  const s = await service({ examples: false, indexed: false })
  const { accountId, keyId } = holder(s, 'free', 'flood@example.test', NOW)
  const db = openState(join(s.dir, 'state.sqlite'))
  const ledger = openLedger(db)
  const written = () => (db.prepare('SELECT total_changes() AS rows').get() as { readonly rows: number }).rows
  for (let round = 0; round < 20; round++) {
    for (let time = 0; time < 50; time++) ledger.recordFailure({ accountId, keyId, dataset: 'events', at: taipei(NOW) })
    await turn()
  }
  ledger.recordFailure({ accountId, keyId, dataset: 'query', at: taipei(NOW) })
  ledger.close()
  expect(written()).toBeLessThan(10)
  db.close()
  expect(usageOf(s.dir, accountId).errors).toBe(1_001)
  await s.close()
})
