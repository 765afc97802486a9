import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { PLANS } from '../../../catalog/index.ts'
import { Refusal } from '../../../src/core/index.ts'
import { day } from '../../fixtures/publish/rows.ts'
import { recordRetired } from '../../fixtures/publish/store.ts'
import { NOW, service, type TestService } from '../../support.ts'
import { balanced, type Holder, holder, spend, usageOf } from '../../usage/ledger.ts'

/**
 * A service with three datasets: one with rows, one whose part is missing, and one without a
 * release. The clock of the rate limits does not advance.
 */
let s: TestService
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  s = await service({ examples: false, inMemory: false, limits: true })
  await s.publish('institutional-positioning', day('2026-06-24', 1))
  recordRetired(s.workspace.releases, 'institutional-positioning', '20200101T000000000Z')
  const firms = s.dataset('securities-firm-master')
  await s.publish(firms.slug, firms.example)
  const { manifest, pathOf } = s.releases.current(firms)
  for (const part of manifest.parts) await rm(pathOf(part))
})
afterAll(async () => {
  await s.close()
  vi.useRealTimers()
})

const FLOWS = '/v2/datasets/institutional-positioning'

/**
 * Polls the error count of an account, because it is committed one event loop turn after the
 * response.
 */
const errorsOf = (account: Holder) => expect.poll(() => usageOf(s.dir, account.accountId).errors)

describe('refused reads', () => {
  it.each<[number, string, string, 'free' | 'pro']>([
    [403, 'plan_required', `${FLOWS}?symbol=1000`, 'free'],
    [404, 'unknown_id', `${FLOWS}?symbol=1000&release=x`, 'pro'],
    [410, 'release_retired', `${FLOWS}?symbol=1000&release=20200101T000000000Z`, 'pro'],
    [422, 'invalid_parameter', `${FLOWS}?symbol=1000&limit=0`, 'pro'],
    [422, 'invalid_parameter', FLOWS, 'pro'],
    [503, 'data_unavailable', '/v2/datasets/securities-firm-master', 'free'],
    [503, 'dataset_building', '/v2/datasets/theme-taxonomy', 'free'],
  ])('M3: a read refused with %i %s is not charged and counts as one error: %s', async (status, code, url, plan) => {
    const account = holder(s, plan, `${status}-${code}-${url.length}@example.test`, NOW)
    const response = await s.get(url, account.key)
    expect([response.statusCode, response.json().error.error_code]).toEqual([status, code])
    expect(response.headers).toMatchObject({
      'x-credits-charged': '0',
      'x-credits-remaining': String(PLANS[plan].creditsPerMonth),
    })
    await errorsOf(account).toBe(1)
    expect(balanced(s.dir, account.accountId)).toEqual({ requests: 0, credits: 0 })
    expect((await s.get('/v2/account/entitlements', account.key)).json().credits).toMatchObject({ used: 0 })
  })

  it('M3: a read that times out is not charged and counts as one error', async () => {
    const account = holder(s, 'pro', '504@example.test', NOW)
    const read = vi.spyOn(s.pool, 'read').mockRejectedValue(new Refusal('query_timeout'))
    expect((await s.get(`${FLOWS}?symbol=1101`, account.key)).statusCode).toBe(504)
    read.mockRestore()
    await errorsOf(account).toBe(1)
    expect(balanced(s.dir, account.accountId)).toEqual({ requests: 0, credits: 0 })
  })

  it('M3: a read refused with 402 is not charged and counts as one error', async () => {
    const account = holder(s, 'pro', '402@example.test', NOW)
    await spend(s, account, PLANS.pro.creditsPerMonth, 1, NOW)
    expect((await s.get(`${FLOWS}?symbol=1101`, account.key)).statusCode).toBe(402)
    await errorsOf(account).toBe(1)
    expect(balanced(s.dir, account.accountId).requests).toBe(1)
  })

  it('M3: reads refused with 429 are not charged, and each counts as an error', async () => {
    const account = holder(s, 'free', '429@example.test', NOW)
    const answers = await Promise.all(Array.from({ length: 70 }, () => s.get('/v2/datasets/theme-taxonomy', account.key)))
    expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(10)
    await errorsOf(account).toBe(70)
    expect(balanced(s.dir, account.accountId)).toEqual({ requests: 0, credits: 0 })
  })

  it('M3: if a request is refused before its read, the usage of no account includes the request', async () => {
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

it('M3: a client that disconnects while its request is queued causes one counted error, no read and no charge', async () => {
  const quick = await service({ inMemory: false })
  const account = holder(quick, 'pro', 'gone@example.test', NOW)
  await quick.app.listen({ port: 0, host: '127.0.0.1' })
  const { read: plain } = quick.pool
  const free = Promise.withResolvers<void>()
  // Reads that are queued before the tested one. They end after the client has disconnected.
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
