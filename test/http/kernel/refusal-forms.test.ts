import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, expect, it } from 'vitest'
import { SECRETS, service } from '../../support.ts'

const s = await service()
afterAll(() => s.close())
const key = s.keyOn('max')

const ask = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'POST' = 'GET') => s.app.inject({ method, url, headers })
const BAD = '/v2/datasets/bond-yield-curve?symbol=10Y&limit=0'
const PROBLEM = 'application/problem+json'

it('the service answers errors as application/json in English by default', async () => {
  const { statusCode, headers, ...answer } = await ask(BAD, { 'x-api-key': key })
  expect([statusCode, headers['content-type'], headers['content-language']]).toEqual([422, 'application/json; charset=utf-8', 'en'])
  expect(Object.keys(answer.json())).toEqual(['detail', 'error'])
})

it('the service answers errors as RFC 9457 problem details for Accept: application/problem+json', async () => {
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

it('the title of problem details does not mention the detail field', async () => {
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
])('the service answers an error to Accept: %s as %s', async (accept, type) => {
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
])('the service answers an error to Accept-Language: %s in %s', async (language, expected) => {
  const { headers, ...answer } = await ask(BAD, { 'x-api-key': key, 'accept-language': language })
  expect(headers['content-language']).toBe(expected)
  const { detail, error } = answer.json()
  const words = expected === 'en' ? 'limit must be an integer from 1 to 100000' : 'limit 必須是 1 至 100000 的整數'
  expect([detail[0].msg, error.error_message, error.error_code]).toEqual([words, words, 'invalid_parameter'])
})

it('the service sends Vary: Accept, Accept-Language with every error', async () => {
  for (const url of ['/nothing', BAD, '/v2/datasets/nothing', '/v2/datasets/%ff', `/${'x'.repeat(9_000)}`])
    expect((await ask(url, { 'x-api-key': key })).headers['vary']).toContain('Accept, Accept-Language')
})

it('the service formats errors raised before routing by Accept and Accept-Language', async () => {
  await s.app.listen({ port: 0, host: '127.0.0.1' })
  const socket = connect((s.app.server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(
    'GET / HTTP/1.1\r\nHost: x\r\nExpect: nothing\r\nConnection: close\r\nAccept-Language: zh-TW\r\nAccept: application/problem+json\r\n\r\n',
  )
  const answer = await text(socket)
  expect(answer).toMatch(/^HTTP\/1\.1 417 /)
  expect(answer).toContain(`content-type: ${PROBLEM}; charset=utf-8`)
  expect(answer).toContain('格式不正確')
})

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
] as const)('a 401 of %s with headers %o has WWW-Authenticate', async (url, headers, challenge) => {
  const response = await ask(url, headers)
  expect([response.statusCode, response.headers['www-authenticate']]).toEqual([401, challenge])
})

it('the service sends no WWW-Authenticate with 404 and 422', async () => {
  for (const url of ['/nothing', BAD]) expect((await ask(url, { 'x-api-key': key })).headers).not.toHaveProperty('www-authenticate')
})

it('the account summary checks its token before x-account-email', async () => {
  const { paths } = (await ask('/openapi.json')).json()
  const declared = paths['/v2/account/summary'].get.parameters.find(({ name }: { name: string }) => name === 'x-account-email')
  expect(declared).toMatchObject({ in: 'header', required: false })
  expect((await ask('/v2/account/summary')).statusCode).toBe(401)
  const response = await ask('/v2/account/summary', { authorization: `Bearer ${SECRETS.SERVICE_TOKEN}` })
  expect([response.statusCode, response.json().detail]).toMatchObject([422, [{ loc: ['header', 'x-account-email'], type: 'missing' }]])
})

it.each(['/v2/account/entitlements', '/v2/search?q=nothingofthatname', '/v2/datasets/earnings/freshness'])(
  'the service sends Content-Language with an answer that contains text: %s',
  async url => {
    for (const [wanted, language] of [
      ['zh-TW', 'zh-TW'],
      ['de', 'en'],
    ] as const) {
      const { statusCode, headers } = await ask(url, { 'x-api-key': key, 'accept-language': wanted })
      expect([statusCode, headers['content-language']]).toEqual([200, language])
      expect(headers['vary']).toContain('Accept-Language')
    }
    expect((await ask('/v2/coverage')).headers).not.toHaveProperty('content-language')
  },
)
