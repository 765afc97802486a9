import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Row } from '../../catalog/index.ts'
import { taipei } from '../../src/core/index.ts'
import { openState } from '../../src/state/db.ts'
import { NOW, publishRows, service, type TestService } from '../support.ts'

let s: TestService
let currentTime = NOW
beforeAll(async () => {
  s = await service({ now: () => currentTime, inMemory: false, indexed: false })
  const [entry] = s.dataset('theme-taxonomy').example as readonly Row[]
  await publishRows(
    s.workspace,
    s.dir,
    s.dataset('theme-taxonomy'),
    Array.from({ length: 10_000 }, (_, index) => ({ ...entry, symbol: String(10_000 + index) })),
  )
  await s.releases.refresh()
})
afterAll(() => s.close())

interface Used {
  readonly request_id: string
  readonly dataset: string
  readonly credits: number
  readonly rows: number
}

/** The account's ledger, read over another connection: its contents after a crash at this time. */
function ledger(accountId: string): readonly Used[] {
  const state = openState(`${s.dir}/state.sqlite`)
  const rows = state.prepare('SELECT request_id, dataset, credits, rows FROM usage_ledger WHERE account_id = ?').all(accountId)
  state.close()
  return rows as readonly Used[]
}

function holder(email: string, plan: 'free' | 'pro' | 'max') {
  const key = s.keyOn(plan, email)
  return { key, ...s.control.keys.find(key, NOW)! }
}

const FLOWS = '/v2/datasets/institutional-positioning?symbol=2330'
const RISK = '/v2/datasets/company-risk-events?symbol=2330'

describe('the usage ledger', () => {
  it('the ledger has one entry with the request id for each charged read, and no other entry', async () => {
    const { key, accountId } = holder('ledger@example.test', 'pro')
    const charged: Used[] = []
    const read = async (url: string, dataset: string, credits: number, rows: number) => {
      const response = await s.get(url, key)
      expect(response.statusCode).toBe(200)
      expect(response.headers['x-credits-charged']).toBe(String(credits))
      if (credits > 0) charged.push({ request_id: String(response.headers['x-request-id']), dataset, credits, rows })
      expect([...ledger(accountId)].sort((a, b) => a.request_id.localeCompare(b.request_id))).toEqual(
        [...charged].sort((a, b) => a.request_id.localeCompare(b.request_id)),
      )
      return response
    }
    const first = await read(FLOWS, 'institutional-positioning', 2, 2)
    await read(FLOWS, 'institutional-positioning', 2, 2)
    await read(`${FLOWS}&limit=1`, 'institutional-positioning', 2, 1)
    await read(RISK.replace('2330', '9999'), 'company-risk-events', 3, 0)
    await read('/v2/datasets/index-classification?index_code=IX0002', 'index-classification', 0, 0)
    for (const [url, status] of [
      [`${FLOWS}&limit=0`, 422],
      ['/v2/datasets/bond-yield-curve?symbol=TWGB', 403],
      ['/v2/datasets/nope', 404],
      [`${FLOWS}&release=20200101T000000000Z`, 404],
    ] as const)
      expect((await s.get(url, key)).statusCode).toBe(status)
    expect((await s.get(FLOWS, key, { 'if-none-match': String(first.headers['etag']) })).statusCode).toBe(304)
    expect((await s.app.inject({ method: 'HEAD', url: FLOWS, headers: { 'x-api-key': key } })).statusCode).toBe(200)
    const { headers } = await read(RISK, 'company-risk-events', 3, 3)
    expect(headers).toMatchObject({ 'x-credits-limit': '100000', 'x-credits-remaining': String(100_000 - 12) })
  })

  it('credits renew at the start of the month in Taipei, not in UTC', async () => {
    const { key } = holder('month@example.test', 'pro')
    const read = async (time: string) => {
      currentTime = new Date(time)
      const { headers } = await s.get(FLOWS, key)
      return [headers['x-credits-remaining'], headers['x-credits-reset']]
    }
    expect(await read('2026-07-31T15:59:59.999Z')).toEqual(['99998', '2026-08-01T00:00:00.000+08:00'])
    expect(await read('2026-07-31T16:00:00Z')).toEqual(['99998', '2026-09-01T00:00:00.000+08:00'])
    expect(await read('2026-12-31T16:00:00Z')).toEqual(['99998', '2027-02-01T00:00:00.000+08:00'])
    currentTime = NOW
  })
})

describe('the last credits', () => {
  const leave = (accountId: string, keyId: string, credits: number) =>
    s.control.ledger.record({
      requestId: `req_${accountId}`,
      accountId,
      keyId,
      dataset: 'events',
      at: taipei(NOW),
      credits: 100_000 - credits,
      rows: 0,
    })

  it('M1: 500 parallel reads that cost 2 credits each get exactly 50 responses from 100 remaining credits', async () => {
    const { key, accountId, keyId } = holder('last@example.test', 'pro')
    await leave(accountId, keyId, 100)
    const responses = await Promise.all(Array.from({ length: 500 }, () => s.get(FLOWS, key)))
    const answered = responses.filter(({ statusCode }) => statusCode === 200)
    expect(answered).toHaveLength(50)
    expect(responses.filter(({ statusCode }) => statusCode === 402)).toHaveLength(450)
    const charged = ledger(accountId).filter(({ dataset }) => dataset !== 'events')
    expect(charged.map(({ request_id }) => request_id).sort()).toEqual(
      answered.map(({ headers }) => String(headers['x-request-id'])).sort(),
    )
    expect(charged.every(({ credits }) => credits === 2)).toBe(true)
    expect((await s.get(FLOWS, key)).headers['x-credits-remaining']).toBe('0')
  })

  it('a read above the remaining credits is refused, and a cheaper read succeeds', async () => {
    const { key, accountId, keyId } = holder('three@example.test', 'pro')
    await leave(accountId, keyId, 3)
    expect((await s.get(FLOWS, key)).headers['x-credits-remaining']).toBe('1')
    expect((await s.get(FLOWS, key)).statusCode).toBe(402)
    const cheap = await s.get('/v2/datasets/securities-firm-master', key)
    expect([cheap.statusCode, cheap.headers['x-credits-remaining']]).toEqual([200, '0'])
  })

  it('a 304 needs no credits', async () => {
    const { key, accountId, keyId } = holder('unchanged@example.test', 'pro')
    const { headers } = await s.get(FLOWS, key)
    await leave(accountId, keyId, 3)
    expect((await s.get(FLOWS, key)).statusCode).toBe(402)
    expect((await s.get(FLOWS, key, { 'if-none-match': String(headers['etag']) })).statusCode).toBe(304)
  })
})

describe('disconnected clients', () => {
  it('M3: a client that disconnects before the response starts is not charged', async () => {
    const { key, accountId } = holder('gone@example.test', 'pro')
    const others = s.keyOn('max', 'others@example.test')
    await s.app.listen({ port: 0, host: '127.0.0.1' })
    const arrived = once(s.app.server, 'request') as Promise<[IncomingMessage, ServerResponse]>
    // Longer reads are queued ahead of this read, so that it has not started when the client
    // disconnects.
    const ahead = Promise.all(Array.from({ length: 4 }, () => s.get('/v2/datasets/theme-taxonomy?limit=10000', others)))
    const caller = connect((s.app.server.address() as AddressInfo).port, '127.0.0.1')
    caller.write(`GET ${FLOWS} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`)
    const [, response] = await arrived
    caller.destroy()
    await once(response, 'close')
    expect((await ahead).map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200])
    const readRecord = () => s.lines.map(line => JSON.parse(line)).find(({ event, account }) => event === 'read' && account === accountId)
    expect(await vi.waitUntil(readRecord, { timeout: 20_000 })).toMatchObject({ rows: 2, credits: 0 })
    expect(ledger(accountId)).toEqual([])
  })
})
