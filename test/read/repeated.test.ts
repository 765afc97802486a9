import zlib from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { newId, Refusal } from '../../src/core/index.ts'
import { inCoding } from '../../src/http/kernel/answer.ts'
import { codedSoFar } from '../../src/http/kernel/index.ts'
import { trade, weekdays } from '../fixtures/publish/rows.ts'
import { service, type TestService } from '../support.ts'

const FLOWS = '/v2/datasets/institutional-positioning?symbol=2330'
/** A read whose response body contains the request id. */
const EVENTS = '/v2/datasets/company-risk-events?symbol=2330'

let s: TestService
beforeAll(async () => {
  s = await service({ inMemory: false, answerBytes: 2 ** 20 })
})
afterAll(() => s.close())

/** Number of reads by the engine during `work`. */
async function engineReads(work: () => Promise<unknown>): Promise<number> {
  const read = vi.spyOn(s.pool, 'read')
  await work()
  const reads = read.mock.calls.length
  read.mockRestore()
  return reads
}

/** The cached answer with the ETag of a response. */
const keptOf = ({ headers }: Awaited<ReturnType<TestService['get']>>) =>
  s.answers.getOrMake<Buffer>(String(headers['etag']), newId('req'), () => Promise.reject(new Error('the answer is not kept')))

describe('the response cache', () => {
  it('a repeated read gets the cached bytes without the engine, with its own request id and its own charge', async () => {
    for (const url of [FLOWS, EVENTS, `${EVENTS}&format=csv`, `${FLOWS}&format=arrow`]) {
      const key = s.keyOn('pro', `again${encodeURIComponent(url).length}@example.test`)
      const first = await s.get(url, key)
      const again: Awaited<ReturnType<typeof s.get>>[] = []
      expect(await engineReads(async () => again.push(await s.get(url, key)))).toBe(0)
      const [second] = again
      const [firstId, other] = [first, second!].map(({ headers }) => String(headers['x-request-id']))
      expect(firstId).not.toBe(other)
      expect(second!.rawPayload.toString('latin1')).toBe(first.rawPayload.toString('latin1').replaceAll(firstId!, other!))
      expect(second!.headers['etag']).toBe(first.headers['etag'])
      expect(second!.headers['x-row-count']).toBe(first.headers['x-row-count'])
      expect(Number(second!.headers['x-credits-remaining'])).toBe(
        Number(first.headers['x-credits-remaining']) - Number(first.headers['x-credits-charged']),
      )
    }
  })

  it('a cached response is compressed once', async () => {
    const rows = weekdays('2026-03-02', 40).map(day => trade('1101', day, 1_000))
    expect((await s.publish('institutional-positioning', rows)).faults).toEqual([])
    const [key, url] = [s.keyOn('pro', 'coded@example.test'), '/v2/datasets/institutional-positioning?symbol=1101']
    const plain = await s.get(url, key)
    const gzip = vi.spyOn(zlib, 'gzipSync')
    const coded = [await s.get(url, key, { 'accept-encoding': 'gzip' }), await s.get(url, key, { 'accept-encoding': 'gzip' })]
    expect(gzip).toHaveBeenCalledTimes(1)
    gzip.mockRestore()
    for (const { rawPayload } of coded) expect(zlib.gunzipSync(rawPayload).toString()).toBe(plain.body)
  })

  it('a cached response has its own buffer, which nothing overwrites', async () => {
    const key = s.keyOn('pro', 'kept@example.test')
    await s.get(`${FLOWS}&limit=2`, key)
    const cached = await keptOf(await s.get(`${FLOWS}&limit=2`, key))
    expect(cached.body.buffer.byteLength).toBe(cached.body.length)
  })

  it('a cached compressed response has its own buffer in every coding', async () => {
    const rows = weekdays('2026-03-02', 40).map(day => trade('1102', day, 1_000))
    expect((await s.publish('institutional-positioning', rows)).faults).toEqual([])
    const [key, url] = [s.keyOn('pro', 'kept-coded@example.test'), '/v2/datasets/institutional-positioning?symbol=1102']
    const { body } = await keptOf(await s.get(url, key))
    for (const coding of ['gzip', 'br', 'zstd'] as const) {
      const sent = await s.get(url, key, { 'accept-encoding': coding })
      const { misses } = codedSoFar()
      const cached = await inCoding(body, coding)
      expect([codedSoFar().misses, cached.equals(sent.rawPayload)]).toEqual([misses, true])
      expect(cached.buffer.byteLength).toBe(cached.length)
    }
  })

  it('parallel identical reads succeed even if the first of them fails', async () => {
    const key = s.keyOn('max', 'first@example.test')
    const { read: plain } = s.pool
    const read = vi
      .spyOn(s.pool, 'read')
      .mockRejectedValueOnce(new Refusal('overloaded', { retry_after: 1 }))
      .mockImplementation(plain)
    const answered = await Promise.all(Array.from({ length: 3 }, () => s.get(`${FLOWS}&limit=9`, key)))
    read.mockRestore()
    expect(answered.map(({ statusCode }) => statusCode).sort()).toEqual([200, 200, 503])
  })

  it('parallel identical reads share one engine read, and each is charged', async () => {
    const key = s.keyOn('max', 'many@example.test')
    const url = `${FLOWS}&limit=7`
    const answered: Awaited<ReturnType<typeof s.get>>[] = []
    expect(await engineReads(async () => answered.push(...(await Promise.all(Array.from({ length: 8 }, () => s.get(url, key))))))).toBe(1)
    expect(new Set(answered.map(({ statusCode, body }) => `${statusCode} ${body}`)).size).toBe(1)
    expect(new Set(answered.map(({ headers }) => headers['x-request-id'])).size).toBe(8)
    const { accountId } = s.gate.authenticate(key, '203.0.113.7')
    expect(s.control.ledger.used(accountId, '2026-07')).toBe(8 * Number(answered[0]!.headers['x-credits-charged']))
  })

  it.each([
    ['another plan', EVENTS, EVENTS, 'max'],
    ['another limit', FLOWS, `${FLOWS}&limit=1`, 'pro'],
    ['other columns', FLOWS, `${FLOWS}&columns=ticker`, 'pro'],
    ['another order', FLOWS, `${FLOWS}&sort_order=asc`, 'pro'],
    ['another format', FLOWS, `${FLOWS}&format=ndjson`, 'pro'],
  ] as const)('a read with %s is not answered with the cached response of the first read', async (_, url, otherUrl, plan) => {
    const first = await s.get(url, s.keyOn('pro', 'one@example.test'))
    const other = await s.get(otherUrl, s.keyOn(plan, `${plan}.other@example.test`))
    expect(other.statusCode).toBe(200)
    expect(other.headers['etag']).not.toBe(first.headers['etag'])
    expect(other.body).not.toBe(first.body)
  })

  it('an answer with rows from memory is cached on its second request', async () => {
    const memory = await service({ answerBytes: 2 ** 20 })
    try {
      const get = () => memory.get(`${FLOWS}&limit=3`, memory.keyOn('pro'))
      const cached = () => memory.answers.state()
      const first = await get()
      expect(cached()).toMatchObject({ bytes: 0, hits: 0, misses: 1 })
      expect((await get()).body).toBe(first.body)
      expect(cached()).toMatchObject({ bytes: expect.toSatisfy(Boolean), hits: 0, misses: 2 })
      expect((await get()).body).toBe(first.body)
      expect(cached()).toMatchObject({ hits: 1, misses: 2 })
    } finally {
      await memory.close()
    }
  })

  it('a repeated read after a publication has the new rows', async () => {
    const key = s.keyOn('pro', 'published@example.test')
    const before = (await s.get(FLOWS, key)).json().row_count
    const [day] = weekdays('2026-07-01', 1)
    const row = { ticker: '2330', market: 'TWSE', trade_date: day, foreign_net_buy: 1, investment_trust_net_buy: 2, dealer_net_buy: 3 }
    expect((await s.publish('institutional-positioning', [row])).faults).toEqual([])
    expect((await s.get(FLOWS, key)).json().row_count).toBe(before + 1)
  })
})
