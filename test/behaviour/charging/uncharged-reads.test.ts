import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { PLANS, type Row } from '../../../catalog/index.ts'
import { balanced, type Holder, holder, spend, usageOf } from '../../accounts/usage/ledger.ts'
import { weekdays } from '../../fixtures/publish/rows.ts'
import { NOW, service, type TestService } from '../../support.ts'

/** A budget of a millisecond, which a read of 50,000 rows always passes; a clock for the minute that the test moves. */
let s: TestService
/** With time to read, and a part gone. */
let damaged: TestService
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  s = await service({ examples: false, inMemory: false, queryTimeoutMs: 1, limits: true })
  const sessions = weekdays('2020-01-01', 1_000)
  const flow = (index: number): Row => ({
    ticker: String(1_000 + (index % 50)),
    market: 'TWSE',
    trade_date: sessions[Math.floor(index / 50)]!,
    ...{ foreign_net_buy: index, investment_trust_net_buy: 1, dealer_net_buy: -1 },
  })
  await s.publish(
    'institutional-positioning',
    Array.from({ length: 50_000 }, (_, index) => flow(index)),
  )
  damaged = await service({ examples: false, inMemory: false, limits: true })
  const firms = damaged.dataset('securities-firm-master')
  await damaged.publish(firms.slug, firms.example)
  const { manifest, pathOf } = damaged.releases.current(firms)
  for (const part of manifest.parts) await rm(pathOf(part))
})
afterAll(async () => {
  await s.close()
  await damaged.close()
  vi.useRealTimers()
})

const FLOWS = '/v2/datasets/institutional-positioning'
const SLOW = `${FLOWS}?limit=100000&symbol=${Array.from({ length: 50 }, (_, index) => 1_000 + index)}`

/** What an account's error count becomes; the roll-up is committed a turn after the answer. */
const errorsOf = (account: Holder, at = s) => expect.poll(() => usageOf(at.dir, account.accountId).errors)

describe('M3 a read that is not answered', () => {
  it.each<[number, string, string, 'free' | 'pro']>([
    [403, 'plan_required', `${FLOWS}?symbol=1000`, 'free'],
    [404, 'unknown_id', `${FLOWS}?symbol=1000&release=x`, 'pro'],
    [410, 'release_retired', `${FLOWS}?symbol=1000&release=20200101T000000000Z`, 'pro'],
    [422, 'invalid_parameter', `${FLOWS}?symbol=1000&limit=0`, 'pro'],
    [422, 'invalid_parameter', FLOWS, 'pro'],
    [503, 'data_unavailable', '/v2/datasets/securities-firm-master', 'free'],
    [503, 'dataset_building', '/v2/datasets/theme-taxonomy', 'free'],
    [504, 'query_timeout', SLOW, 'pro'],
  ])('because of %i %s is not charged and counts as one error', async (status, code, url, plan) => {
    const at = code === 'data_unavailable' ? damaged : s
    const account = holder(at, plan, `${status}-${code}-${url.length}@example.test`, NOW)
    const response = await at.get(url, account.key)
    expect([response.statusCode, response.json().error.error_code]).toEqual([status, code])
    expect(response.headers).toMatchObject({
      'x-credits-charged': '0',
      'x-credits-remaining': String(PLANS[plan].creditsPerMonth),
    })
    await errorsOf(account, at).toBe(1)
    expect(balanced(at.dir, account.accountId)).toEqual({ requests: 0, credits: 0 })
    expect((await at.get('/v2/account/entitlements', account.key)).json().credits).toMatchObject({ used: 0 })
  })

  it('for lack of credits (402) is not charged and counts as one error', async () => {
    const account = holder(s, 'pro', '402@example.test', NOW)
    await spend(s, account, PLANS.pro.creditsPerMonth, 1, NOW)
    expect((await s.get(SLOW, account.key)).statusCode).toBe(402)
    await errorsOf(account).toBe(1)
    expect(balanced(s.dir, account.accountId).requests).toBe(1)
  })

  it('for its rate (429) is not charged, and each counts as an error', async () => {
    const account = holder(s, 'free', '429@example.test', NOW)
    const answers = await Promise.all(Array.from({ length: 70 }, () => s.get('/v2/datasets/theme-taxonomy', account.key)))
    expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(10)
    await errorsOf(account).toBe(70)
    expect(balanced(s.dir, account.accountId)).toEqual({ requests: 0, credits: 0 })
  })

  it('for its path, its key or its form is in no account’s usage', async () => {
    const account = holder(s, 'free', 'nobody@example.test', NOW)
    const sent: readonly [number, string, string | undefined][] = [
      [404, '/v2/datasets/nope', account.key],
      [404, '/v3/theme-taxonomy', account.key],
      [401, '/v2/datasets/theme-taxonomy', undefined],
      [400, '/v2/datasets/theme-taxonomy?api_key=x', account.key],
    ]
    for (const [status, url, key] of sent) expect((await s.get(url, key)).statusCode).toBe(status)
    await errorsOf(account).toBe(0)
  })
})

describe('a client that disconnects', () => {
  it('M3: before the first byte is not charged, and counts as an error', async () => {
    const quick = await service({ inMemory: false })
    const [entry] = quick.dataset('theme-taxonomy').example as readonly Row[]
    await quick.publish(
      'theme-taxonomy',
      Array.from({ length: 10_000 }, (_, index) => ({ ...entry, symbol: String(10_000 + index) })),
    )
    const account = holder(quick, 'pro', 'gone@example.test', NOW)
    const others = ['one', 'two'].map(name => quick.keyOn('max', `${name}@example.test`))
    await quick.app.listen({ port: 0, host: '127.0.0.1' })
    const arrived = once(quick.app.server, 'request') as Promise<[IncomingMessage, ServerResponse]>
    // Long reads ahead of it in the line, so that it cannot have begun when the caller goes.
    const ahead = Promise.all([...others, ...others].map(key => quick.get('/v2/datasets/theme-taxonomy?limit=10000', key)))
    const caller = connect((quick.app.server.address() as AddressInfo).port, '127.0.0.1')
    caller.write(`GET ${FLOWS}?symbol=2330 HTTP/1.1\r\nHost: x\r\nX-API-Key: ${account.key}\r\n\r\n`)
    const [, response] = await arrived
    caller.destroy()
    await Promise.all([once(response, 'close'), ahead])
    await expect.poll(() => usageOf(quick.dir, account.accountId).errors).toBe(1)
    expect(balanced(quick.dir, account.accountId)).toEqual({ requests: 0, credits: 0 })
    await quick.close()
  })

  it('M3: while queued causes no read, is not charged, and counts as one error', async () => {
    const quick = await service({ inMemory: false })
    const account = holder(quick, 'pro', 'gone@example.test', NOW)
    await quick.app.listen({ port: 0, host: '127.0.0.1' })
    const { read: plain } = quick.pool
    const free = Promise.withResolvers<void>()
    // Reads ahead of it in the account's line, which end when the caller is gone.
    const read = vi.spyOn(quick.pool, 'read').mockImplementation(async (statement, use) => {
      await free.promise
      return plain(statement, use)
    })
    const arrived = once(quick.app.server, 'request') as Promise<[IncomingMessage, ServerResponse]>
    const ahead = Array.from({ length: PLANS.pro.requestsAtOnce }, (_, index) =>
      quick.get(`/v2/datasets/theme-taxonomy?limit=${1 + index}`, account.key),
    )
    await expect.poll(() => read.mock.calls.length).toBe(ahead.length)
    const caller = connect((quick.app.server.address() as AddressInfo).port, '127.0.0.1')
    caller.write(`GET ${FLOWS}?symbol=2330 HTTP/1.1\r\nHost: x\r\nX-API-Key: ${account.key}\r\n\r\n`)
    const [, response] = await arrived
    caller.destroy()
    await once(response, 'close')
    free.resolve()
    expect((await Promise.all(ahead)).map(({ statusCode }) => statusCode)).toEqual(ahead.map(() => 200))
    await expect.poll(() => usageOf(quick.dir, account.accountId).errors).toBe(1)
    expect(read.mock.calls.filter(([{ text }]) => text.includes('institutional-positioning'))).toEqual([])
    expect(balanced(quick.dir, account.accountId)).toEqual({ requests: ahead.length, credits: ahead.length })
    await quick.close()
  })
})
