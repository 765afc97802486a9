import { once } from 'node:events'
import { get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import zlib from 'node:zlib'
import { afterAll, expect, it } from 'vitest'
import type { OpenApi } from '../../../src/http/openapi/index.ts'
import { service } from '../../support.ts'
import { cell } from '../cells.ts'
import { callerOf, credentialsOn, type Documented, operationsOf, requestOf, shownBy } from '../openapi/openapi.ts'

const s = await service()
const operations = operationsOf((await s.get('/openapi.json')).json() as OpenApi)
const credentials = credentialsOn(s)
const key = s.keyOn('max', 'reader@example.test')
afterAll(() => s.close())

/** 3,000 days, one row each, which do not fit into one buffer. */
const DAYS = Array.from({ length: 3_000 }, (_, day) => new Date(Date.UTC(2010, 0, 1) + day * 86_400_000).toISOString().slice(0, 10))
const [risk] = s.dataset('company-risk-events').example
await s.publish(
  'company-risk-events',
  DAYS.map(day => ({ ...risk, symbol: '2330', event_date: day, description: `${day} is a day with a risk event` })),
  { accept: ['row_count_drift'] },
)
const READ = '/v2/datasets/company-risk-events?symbol=2330&limit=50'
const LARGE = '/v2/datasets/company-risk-events?symbol=2330&limit=3000'

type Sent = Readonly<Record<string, string>>
const ask = (url: string, headers: Sent = {}, method: 'GET' | 'HEAD' = 'GET') =>
  s.app.inject({ method, url, headers: { 'x-api-key': key, ...headers } })
const accepting = (coding: string): Sent => ({ 'accept-encoding': coding })

/** Decoders. Brotli bodies are compared with the encoded plain body. */
const DECODE = { gzip: zlib.gunzipSync, zstd: zlib.zstdDecompressSync } as const
/** A body without its request id, which is unique. */
const rid = (body: string | Buffer): string => String(body).replaceAll(/req_\w{26}/g, 'req')

/** One URL of each kind of body. */
const BODIES = [READ, LARGE, '/v2/datasets', '/openapi.json', '/docs', '/company/2330', '/v2/query/fields']

it.each(['gzip', 'zstd'] as const)('the service sends every kind of body as %s, equal to the plain body once decoded', async coding => {
  for (const url of BODIES)
    await cell(url, async () => {
      const [plain, sent] = [await ask(url), await ask(url, accepting(coding))]
      expect([sent.statusCode, sent.headers['content-encoding']]).toEqual([200, coding])
      expect(rid(DECODE[coding](sent.rawPayload)) === rid(plain.body), 'decoded body').toBe(true)
      expect(sent.rawPayload.length).toBeLessThan(plain.rawPayload.length / 2)
      expect(sent.headers['content-length'] ?? String(sent.rawPayload.length)).toBe(String(sent.rawPayload.length))
      expect(sent.headers['content-type']).toBe(plain.headers['content-type'])
    })
})

it('the service sends every kind of body as br, with quality 9 for documents and the catalog, and 1 for reads', async () => {
  for (const url of BODIES)
    await cell(url, async () => {
      const [plain, sent] = [await ask(url), await ask(url, accepting('br'))]
      expect([sent.statusCode, sent.headers['content-encoding']]).toEqual([200, 'br'])
      expect(sent.rawPayload.length).toBeLessThan(plain.rawPayload.length / 2)
      if (plain.body.includes('req_') || url === LARGE) return
      const encoded = zlib.brotliCompressSync(plain.rawPayload, {
        params: {
          [zlib.constants.BROTLI_PARAM_QUALITY]: /^\/(openapi|docs|company|v2\/datasets$)/.test(url) ? 9 : 1,
          [zlib.constants.BROTLI_PARAM_SIZE_HINT]: plain.rawPayload.length,
          [zlib.constants.BROTLI_PARAM_LGWIN]: Math.min(22, Math.ceil(Math.log2(plain.rawPayload.length + 16))),
        },
      })
      expect(sent.rawPayload.equals(encoded), 'encoded body').toBe(true)
    })
})

it('the service sends an uncompressed body if the client accepts no coding, with Content-Length unless the body is a stream', async () => {
  for (const url of BODIES)
    for (const headers of [{}, accepting('identity'), accepting('gzip;q=0, br;q=0'), accepting('deflate'), accepting('')]) {
      const { headers: sent, rawPayload } = await ask(url, headers)
      const length = url === LARGE ? undefined : String(rawPayload.length)
      const about = `${url}, ${JSON.stringify(headers)}`
      expect.soft([sent['content-encoding'], sent['content-length']], about).toEqual([undefined, length])
    }
})

it('the service sends Vary: Accept-Encoding with uncompressed and compressed bodies, HEAD and 304', async () => {
  for (const url of BODIES)
    await cell(url, async () => {
      const answers = [await ask(url), await ask(url, accepting('gzip')), await ask(url, {}, 'HEAD')]
      const { etag } = answers[1]!.headers
      if (etag !== undefined) answers.push(await ask(url, { ...accepting('gzip'), 'if-none-match': String(etag) }))
      for (const { headers } of answers) expect(headers['vary']).toContain('Accept-Encoding')
    })
})

it('the service sends a different ETag for each coding and answers 304 to any of these ETags', async () => {
  let tagged = 0
  for (const url of BODIES)
    await cell(url, async () => {
      const plain = (await ask(url)).headers['etag']
      if (plain === undefined) return
      tagged++
      const tags = [plain]
      for (const coding of ['gzip', 'br', 'zstd']) tags.push((await ask(url, accepting(coding))).headers['etag']!)
      expect(new Set(tags).size).toBe(4)
      for (const tag of tags)
        for (const coding of ['identity', 'zstd']) {
          const answer = await ask(url, { ...accepting(coding), 'if-none-match': `"other", W/${String(tag)}` })
          expect([answer.statusCode, answer.headers['etag'], answer.body]).toEqual([304, tag, ''])
        }
    })
  expect(tagged).toBeGreaterThan(3)
})

it.each([
  ['gzip, deflate, br, zstd', 'zstd'],
  ['gzip, deflate, br', 'br'],
  ['gzip;q=1.0, br;q=0.5', 'gzip'],
  ['*', 'zstd'],
  ['*;q=0.1, gzip;q=0.5', 'gzip'],
  ['GZIP', 'gzip'],
  ['identity;q=1, gzip;q=0.5', undefined],
  ['identity;q=0.5, gzip;q=1', 'gzip'],
  ['gzip;q=nonsense', undefined],
  [';,;q=', undefined],
])('the service negotiates Accept-Encoding: %s as %s', async (accepts, coding) => {
  expect((await ask(READ, accepting(accepts))).headers['content-encoding']).toBe(coding)
})

it('the service sends an answer below 2 KiB uncompressed', async () => {
  const { headers, rawPayload } = await ask('/v2/datasets/company-risk-events?symbol=2330&limit=1', accepting('gzip'))
  expect([headers['content-encoding'], rawPayload.length < 2_048]).toEqual([undefined, true])
})

it('the service answers HEAD of a document with the headers of its GET in every coding', async () => {
  for (const coding of ['gzip', 'br', 'zstd', 'identity']) {
    const [got, headed] = [await ask('/openapi.json', accepting(coding)), await ask('/openapi.json', accepting(coding), 'HEAD')]
    const facts = ({ headers }: typeof got) =>
      ['content-encoding', 'content-length', 'etag', 'vary', 'content-type', 'cache-control'].map(name => headers[name])
    expect([facts(headed), headed.body]).toEqual([facts(got), ''])
  }
})

const PRIVATE = new Set(['account', 'self_serve', 'billing', 'administration'])
const isPrivate = ({ operation }: Documented): boolean => PRIVATE.has(operation.tags[0])
it('the service never compresses an answer about an account', async () => {
  // DELETE is omitted because it closes the account.
  const documentedPrivate = operations.filter(one => isPrivate(one) && one.method !== 'DELETE')
  expect(documentedPrivate.length).toBeGreaterThan(20)
  for (const documented of documentedPrivate)
    await cell(documented.name, async () => {
      const { url, headers } = requestOf(documented, shownBy(documented))
      const payload = documented.operation['x-example-request']?.body
      const answer = await s.app.inject({
        method: documented.method as 'GET',
        url,
        headers: { ...credentials[callerOf(documented)], ...headers, ...accepting('gzip, br, zstd') },
        ...(payload === undefined ? {} : { payload: payload as object }),
      })
      if (documented.method === 'GET' && documented.operation['x-example-request']) expect(answer.statusCode).toBe(200)
      expect(answer.headers).not.toHaveProperty('content-encoding')
      expect(String(answer.headers['vary'] ?? '')).not.toContain('Accept-Encoding')
    })
})

it('the service serves the next caller after three callers abandoned a compressed stream', async () => {
  await s.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = s.app.server.address() as AddressInfo
  const send = async () => {
    const request = get({ port, path: LARGE, headers: { 'x-api-key': key, 'accept-encoding': 'gzip' } })
    const [response] = await once(request, 'response')
    return { request, response }
  }
  for (let turn = 0; turn < 3; turn++) {
    const { request, response } = await send()
    expect(response.statusCode).toBe(200)
    response.once('data', () => request.destroy())
    await once(response, 'close').catch(() => {})
  }
  const { response } = await send()
  expect(response.headers).toMatchObject({ 'content-encoding': 'gzip', 'transfer-encoding': 'chunked' })
  expect(JSON.parse(String(zlib.gunzipSync(await buffer(response)))).meta.rows_returned).toBe(3_000)
})
