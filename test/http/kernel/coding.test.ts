import { once } from 'node:events'
import { get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import zlib from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import type { OpenApi } from '../../../src/http/openapi/index.ts'
import { service } from '../../support.ts'
import { credentialsOn, type Documented, operationsOf, requestOf, shownBy } from '../openapi/openapi.ts'

const s = await service()
const operations = operationsOf((await s.get('/openapi.json')).json() as OpenApi)
const credentials = credentialsOn(s)
const key = s.keyOn('max', 'reader@example.test')
afterAll(() => s.close())

/** Some 3,000 rows, more than fit into one buffer, and fifty of them. */
const DAYS = Array.from({ length: 3_000 }, (_, day) => new Date(Date.UTC(2010, 0, 1) + day * 86_400_000).toISOString().slice(0, 10))
const [risk] = s.dataset('company-risk-events').example
await s.publish(
  'company-risk-events',
  DAYS.map(day => ({ ...risk, symbol: '2330', event_date: day, description: `${day} is a day on which something was told of it` })),
  { accept: ['row_count_drift'] },
)
const READ = '/v2/datasets/company-risk-events?symbol=2330&limit=50'
const LARGE = '/v2/datasets/company-risk-events?symbol=2330&limit=3000'

type Sent = Readonly<Record<string, string>>
const ask = (url: string, headers: Sent = {}, method: 'GET' | 'HEAD' = 'GET') =>
  s.app.inject({ method, url, headers: { 'x-api-key': key, ...headers } })
const accepting = (coding: string): Sent => ({ 'accept-encoding': coding })

/** Decoded. Brotli is not: its decoder is a part of Node that stays unused, so its bytes are compared with those made of the plain body. */
const DECODE = { gzip: zlib.gunzipSync, zstd: zlib.zstdDecompressSync } as const
/** A body without what no two answers share. */
const rid = (body: string | Buffer): string => String(body).replaceAll(/req_\w{26}/g, 'req')

describe.each([
  ['a point read', READ],
  ['a large read, sent as a stream', LARGE],
  ['the catalog', '/v2/datasets'],
  ['the description', '/openapi.json'],
  ['the reference page', '/docs'],
  ['the page of a company', '/company/2330'],
  ['the fields of queries', '/v2/query/fields'],
])('%s', (_, url) => {
  it.each(['gzip', 'zstd'] as const)('is sent as %s to whoever takes that, and is the same once decoded', async coding => {
    const [plain, sent] = [await ask(url), await ask(url, accepting(coding))]
    expect([sent.statusCode, sent.headers['content-encoding']]).toEqual([200, coding])
    expect(rid(DECODE[coding](sent.rawPayload))).toBe(rid(plain.body))
    expect(sent.rawPayload.length).toBeLessThan(plain.rawPayload.length / 2)
    expect(sent.headers['content-length'] ?? String(sent.rawPayload.length)).toBe(String(sent.rawPayload.length))
    expect(sent.headers['content-type']).toBe(plain.headers['content-type'])
  })

  it('is sent as Brotli to whoever takes that', async () => {
    const [plain, sent] = [await ask(url), await ask(url, accepting('br'))]
    expect([sent.statusCode, sent.headers['content-encoding']]).toEqual([200, 'br'])
    expect(sent.rawPayload.length).toBeLessThan(plain.rawPayload.length / 2)
    const quality = /^\/(openapi|docs|company)/.test(url) ? 9 : 1
    if (!plain.body.includes('req_') && url !== LARGE)
      expect(
        sent.rawPayload.equals(
          zlib.brotliCompressSync(plain.rawPayload, {
            params: {
              [zlib.constants.BROTLI_PARAM_QUALITY]: quality,
              [zlib.constants.BROTLI_PARAM_SIZE_HINT]: plain.rawPayload.length,
              [zlib.constants.BROTLI_PARAM_LGWIN]: Math.min(22, Math.ceil(Math.log2(plain.rawPayload.length + 16))),
            },
          }),
        ),
      ).toBe(true)
  })

  it('is sent as ever to whoever takes nothing else, with a length where it is whole', async () => {
    for (const headers of [{}, accepting('identity'), accepting('gzip;q=0, br;q=0'), accepting('deflate'), accepting('')]) {
      const { headers: sent, rawPayload } = await ask(url, headers)
      const length = url === LARGE ? undefined : String(rawPayload.length)
      expect([sent['content-encoding'], sent['content-length']]).toEqual([undefined, length])
    }
  })

  it('tells caches that it depends on Accept-Encoding, coded or not, and so does a 304', async () => {
    const answers = [await ask(url), await ask(url, accepting('gzip')), await ask(url, {}, 'HEAD')]
    const { etag } = answers[1]!.headers
    if (etag !== undefined) answers.push(await ask(url, { ...accepting('gzip'), 'if-none-match': String(etag) }))
    for (const { headers } of answers) expect(headers['vary']).toContain('Accept-Encoding')
  })

  it('has a tag of its own in every coding, and 304 for each of them, with that tag', async () => {
    const plain = (await ask(url)).headers['etag']
    if (plain === undefined) return
    const tags = [plain]
    for (const coding of ['gzip', 'br', 'zstd']) tags.push((await ask(url, accepting(coding))).headers['etag']!)
    expect(new Set(tags).size).toBe(4)
    for (const tag of tags)
      for (const coding of ['identity', 'zstd']) {
        const answer = await ask(url, { ...accepting(coding), 'if-none-match': `"other", W/${String(tag)}` })
        expect([answer.statusCode, answer.headers['etag'], answer.body]).toEqual([304, tag, ''])
      }
  })
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
])('Accept-Encoding: %s is answered with %s', async (accepts, coding) => {
  expect((await ask(READ, accepting(accepts))).headers['content-encoding']).toBe(coding)
})

it('a short answer is sent as it is', async () => {
  const { headers, rawPayload } = await ask('/v2/datasets/company-risk-events?symbol=2330&limit=1', accepting('gzip'))
  expect([headers['content-encoding'], rawPayload.length < 2_048]).toEqual([undefined, true])
})

it('HEAD of a document has the headers of its GET in every coding', async () => {
  for (const coding of ['gzip', 'br', 'zstd', 'identity']) {
    const [got, headed] = [await ask('/openapi.json', accepting(coding)), await ask('/openapi.json', accepting(coding), 'HEAD')]
    const of = ({ headers }: typeof got) =>
      ['content-encoding', 'content-length', 'etag', 'vary', 'content-type', 'cache-control'].map(name => headers[name])
    expect([of(headed), headed.body]).toEqual([of(got), ''])
  }
})

const PRIVATE = new Set(['account', 'self_serve', 'billing', 'administration'])
const isPrivate = ({ operation }: Documented): boolean => PRIVATE.has(operation.tags[0])
// What closes the account is left out: the others have to be answered.
it.each(operations.filter(one => isPrivate(one) && one.method !== 'DELETE'))(
  '$name is never coded, and does not say that it might be',
  async documented => {
    const { url, headers } = requestOf(documented, shownBy(documented))
    const credential = credentials[Object.keys(documented.operation.security[0] ?? {})[0] ?? 'public']
    const payload = documented.operation['x-example-request']?.body
    const answer = await s.app.inject({
      method: documented.method as 'GET',
      url,
      headers: { ...credential, ...headers, ...accepting('gzip, br, zstd') },
      ...(payload === undefined ? {} : { payload: payload as object }),
    })
    if (documented.method === 'GET' && documented.operation['x-example-request']) expect(answer.statusCode).toBe(200)
    expect(answer.headers).not.toHaveProperty('content-encoding')
    expect(String(answer.headers['vary'] ?? '')).not.toContain('Accept-Encoding')
  },
)

it('a caller that goes away amid a coded stream leaves nothing behind: the next one is answered', async () => {
  await s.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = s.app.server.address() as AddressInfo
  const send = async () => {
    const request = get({ port, path: LARGE, headers: { 'x-api-key': key, 'accept-encoding': 'gzip' } })
    const [response] = await once(request, 'response')
    return { request, response }
  }
  for (let turn = 0; turn < 20; turn++) {
    const { request, response } = await send()
    expect(response.statusCode).toBe(200)
    response.once('data', () => request.destroy())
    await once(response, 'close').catch(() => {})
  }
  const { response } = await send()
  expect(response.headers).toMatchObject({ 'content-encoding': 'gzip', 'transfer-encoding': 'chunked' })
  expect(JSON.parse(String(zlib.gunzipSync(await buffer(response)))).meta.rows_returned).toBe(3_000)
})
