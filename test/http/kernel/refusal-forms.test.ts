import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, it } from 'vitest'
import { SECRETS, service } from '../../support.ts'

const s = await service()
afterAll(() => s.close())
const key = s.keyOn('max')

const ask = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'POST' = 'GET') => s.app.inject({ method, url, headers })
const BAD = '/v2/datasets/bond-yield-curve?symbol=10Y&limit=0'
const PROBLEM = 'application/problem+json'

describe('the shape of a refusal', () => {
  it('is ours, in English, where nothing else is asked for', async () => {
    const { statusCode, headers, ...answer } = await ask(BAD, { 'x-api-key': key })
    expect([statusCode, headers['content-type'], headers['content-language']]).toEqual([422, 'application/json; charset=utf-8', 'en'])
    expect(Object.keys(answer.json())).toEqual(['detail', 'error'])
  })

  it('is a problem of RFC 9457 by Accept, with the same facts under error', async () => {
    const plain = (await ask(BAD, { 'x-api-key': key })).json()
    const { headers, ...answer } = await ask(BAD, { 'x-api-key': key, accept: PROBLEM })
    expect(headers['content-type']).toBe(`${PROBLEM}; charset=utf-8`)
    const id = headers['x-request-id']
    expect(answer.json()).toEqual({
      type: '/docs#error-invalid_parameter',
      title: expect.stringContaining('parameter'),
      status: 422,
      detail: 'limit must be an integer from 1 to 100000',
      instance: `urn:twmd:${id}`,
      errors: plain.detail,
      error: { ...plain.error, request_id: id },
    })
  })

  it('names no place in its title that its shape does not have', async () => {
    for (const language of ['en', 'zh-TW']) {
      const answer = (await ask('/v2/datasets/bond-yield-curve', { 'x-api-key': key, accept: PROBLEM, 'accept-language': language })).json()
      expect([answer.errors.length, typeof answer.detail]).toEqual([1, 'string'])
      expect(answer.title).not.toMatch(/\bdetail\b/)
    }
  })

  it.each([
    ['application/json, application/problem+json;q=0.9', 'application/json'],
    ['application/problem+json, application/json', PROBLEM],
    ['application/problem+json;q=0, */*', 'application/json'],
    ['*/*', 'application/json'],
    ['application/*', 'application/json'],
    ['APPLICATION/PROBLEM+JSON', PROBLEM],
    [';;q=,,x;q=nonsense', 'application/json'],
  ])('Accept: %s is answered as %s', async (accept, type) => {
    expect((await ask('/nothing', { accept })).headers['content-type']).toBe(`${type}; charset=utf-8`)
  })

  it.each([
    ['zh-TW', 'zh-TW'],
    ['zh-tw,zh;q=0.9,en-US;q=0.8,en;q=0.7', 'zh-TW'],
    ['zh-Hant', 'zh-TW'],
    ['zh-HK', 'zh-TW'],
    ['zh', 'zh-TW'],
    ['en-GB,zh-TW;q=0.5', 'en'],
    ['zh-TW;q=0', 'en'],
    ['zh-CN', 'en'],
    ['zh-CN,zh-TW;q=0.5', 'zh-TW'],
    ['fr,de', 'en'],
    ['*', 'en'],
  ])('Accept-Language: %s is answered in %s', async (language, told) => {
    const { headers, ...answer } = await ask(BAD, { 'x-api-key': key, 'accept-language': language })
    expect(headers['content-language']).toBe(told)
    const { detail, error } = answer.json()
    const words = told === 'en' ? 'limit must be an integer from 1 to 100000' : 'limit 必須是 1 至 100000 的整數'
    expect([detail[0].msg, error.error_message, error.error_code]).toEqual([words, words, 'invalid_parameter'])
  })

  it('is told to caches by Vary, and never depends on a header that Vary leaves out', async () => {
    for (const url of ['/nothing', BAD, '/v2/datasets/nothing', '/v2/datasets/%ff', `/${'x'.repeat(9_000)}`])
      expect((await ask(url, { 'x-api-key': key })).headers['vary']).toContain('Accept, Accept-Language')
  })

  it('holds for what never reaches a route, too', async () => {
    await s.app.listen({ port: 0, host: '127.0.0.1' })
    const socket = connect((s.app.server.address() as AddressInfo).port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write(
      'GET / HTTP/1.1\r\nHost: x\r\nExpect: nothing\r\nConnection: close\r\nAccept-Language: zh-TW\r\nAccept: application/problem+json\r\n\r\n',
    )
    const answer = await text(socket)
    expect(answer).toMatch(/^HTTP\/1\.1 417 /)
    expect(answer).toContain(`content-type: ${PROBLEM}; charset=utf-8`)
    expect(answer).toContain('無法讀取此請求')
  })
})

describe('a 401 says how to say who one is', () => {
  it.each([
    ['/v2/search?q=x', {}, 'Bearer realm="twmd", ApiKey realm="twmd", header="X-API-Key"'],
    [
      '/v2/search?q=x',
      { 'x-api-key': 'sk_live_wrong' },
      'Bearer realm="twmd", error="invalid_token", ApiKey realm="twmd", header="X-API-Key"',
    ],
    ['/v2/search?q=x', { 'x-api-key': 'a', authorization: 'Bearer b' }, 'Bearer realm="twmd", error="invalid_request"'],
    ['/v2/account/summary', {}, 'Bearer realm="twmd"'],
    ['/v2/self-serve/account', {}, 'SelfServeToken realm="twmd", header="x-self-serve-token"'],
  ] as const)('%s with %o', async (url, headers, challenge) => {
    const response = await ask(url, headers)
    expect([response.statusCode, response.headers['www-authenticate']]).toEqual([401, challenge])
  })

  it('and nothing else does', async () => {
    for (const url of ['/nothing', BAD]) expect((await ask(url, { 'x-api-key': key })).headers).not.toHaveProperty('www-authenticate')
  })
})

it('the address header of an account summary is optional in the description, asked for after the token', async () => {
  const { paths } = (await ask('/openapi.json')).json()
  const declared = paths['/v2/account/summary'].get.parameters.find(({ name }: { name: string }) => name === 'x-account-email')
  expect(declared).toMatchObject({ in: 'header', required: false })
  expect((await ask('/v2/account/summary')).statusCode).toBe(401)
  const response = await ask('/v2/account/summary', { authorization: `Bearer ${SECRETS.SERVICE_TOKEN}` })
  expect([response.statusCode, response.json().detail]).toMatchObject([422, [{ loc: ['header', 'x-account-email'], type: 'missing' }]])
})

it.each(['/v2/account/entitlements', '/v2/search?q=nothingofthatname', '/v2/datasets/earnings/freshness'])(
  'a good answer with a sentence says its language: %s',
  async url => {
    for (const [wanted, told] of [
      ['zh-TW', 'zh-TW'],
      ['de', 'en'],
    ] as const) {
      const { statusCode, headers } = await ask(url, { 'x-api-key': key, 'accept-language': wanted })
      expect([statusCode, headers['content-language']]).toEqual([200, told])
      expect(headers['vary']).toContain('Accept-Language')
    }
    expect((await ask('/v2/coverage')).headers).not.toHaveProperty('content-language')
  },
)
