import { afterAll, expect, it } from 'vitest'
import { readConfig } from '../../../src/core/index.ts'
import type { OpenApi } from '../../../src/http/openapi/index.ts'
import { service } from '../../support.ts'
import { cell } from '../cells.ts'
import { operationsOf, requestOf, shownBy } from '../openapi/openapi.ts'

const APP = 'https://app.example'
const s = await service({ corsOrigins: `${APP}, https://other.example:8443` })
const operations = operationsOf((await s.get('/openapi.json')).json() as OpenApi)
const key = s.keyOn('max')
afterAll(() => s.close())

type Sent = Readonly<Record<string, string>>
const ask = (method: 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'DELETE', url: string, headers: Sent = {}) =>
  s.app.inject({ method, url, headers })
const preflight = (url: string, origin = APP, wanted = 'GET') =>
  ask('OPTIONS', url, { origin, 'access-control-request-method': wanted, 'access-control-request-headers': 'x-api-key' })
const granted = (headers: object): readonly string[] => Object.keys(headers).filter(name => name.startsWith('access-control'))

const isShared = ({ method, operation }: (typeof operations)[number]): boolean =>
  method === 'GET' &&
  !['self_serve', 'billing', 'administration'].includes(operation.tags[0]) &&
  (operation.security.length === 0 || 'api_key' in operation.security[0]!)

/** URL of the example request of an operation. */
const urlOf = (documented: (typeof operations)[number]): string =>
  requestOf(documented, { ...Object.fromEntries(['dataset', 'symbol', 'period'].map(name => [name, 'x'])), ...shownBy(documented) }).url

it('preflight and answer allow a configured origin to use every GET operation that is public or needs a key', async () => {
  for (const documented of operations.filter(isShared))
    await cell(documented.name, async () => {
      const url = urlOf(documented)
      const { statusCode, headers, body } = await preflight(url)
      expect([statusCode, body]).toEqual([204, ''])
      expect(headers).toMatchObject({
        'access-control-allow-origin': APP,
        'access-control-allow-methods': 'GET, HEAD',
        'access-control-allow-headers': expect.stringContaining('X-API-Key'),
        'access-control-max-age': '7200',
        vary: expect.stringContaining('Origin'),
      })
      for (const name of ['access-control-allow-credentials', 'content-length']) expect(headers).not.toHaveProperty(name)
      const answer = await ask('GET', url, { origin: APP, 'x-api-key': key })
      expect(answer.headers).toMatchObject({ 'access-control-allow-origin': APP, vary: expect.stringContaining('Origin') })
      expect(String(answer.headers['access-control-expose-headers'])).toContain('X-Request-Id')
    })
})

it('an origin that is not configured may use no operation, and the answer has Vary: Origin', async () => {
  const others = ['https://evil.example', 'null', `${APP}.evil.example`, 'http://app.example']
  for (const [index, documented] of operations.filter(isShared).entries()) {
    const url = urlOf(documented)
    const origin = others[index % others.length]!
    await cell(`${documented.name}, ${origin}`, async () => {
      const [preflighted, answer] = [await preflight(url, origin), await ask('HEAD', url, { origin, 'x-api-key': key })]
      expect([preflighted.statusCode, granted(preflighted.headers), granted(answer.headers)]).toEqual([405, [], []])
      for (const { headers } of [preflighted, answer]) expect(headers['vary']).toContain('Origin')
      expect((await preflight(url, APP, 'POST')).headers['vary']).toContain('Access-Control-Request-Method')
    })
  }
  for (const origin of others) {
    const [preflighted, answer] = [await preflight('/v2/datasets', origin), await ask('GET', '/v2/datasets', { origin })]
    expect.soft([granted(preflighted.headers), granted(answer.headers)], origin).toEqual([[], []])
  }
})

it('no origin, even a configured one, may use operations of sessions, billing, administration or service tokens', async () => {
  for (const documented of operations.filter(one => !isShared(one)))
    await cell(documented.name, async () => {
      const { method, path } = documented
      const { url } = requestOf(documented, { ...shownBy(documented), key_id: 'x', subscription_id: 'x' })
      const preflighted = await preflight(url, APP, method)
      // Another method of the same path may be allowed to other origins.
      expect([preflighted.statusCode === 204, granted(preflighted.headers)]).toEqual([false, []])
      if (operations.some(one => one.path === path && isShared(one))) return
      const answer = await ask(method as 'GET', url, { origin: APP })
      expect(granted(answer.headers)).toEqual([])
    })
})

it('a configured origin can read the error answers of operations that it may use', async () => {
  for (const url of ['/v2/datasets/bond-yield-curve', '/v2/datasets/nothing', '/v2/updates?limit=0']) {
    const { statusCode, headers } = await ask('GET', url, { origin: APP })
    expect(statusCode).toBeGreaterThanOrEqual(400)
    expect(headers['access-control-allow-origin']).toBe(APP)
  }
})

it('the service exposes the quota, release and paging headers to a configured origin', async () => {
  const exposed = String((await ask('GET', '/v2/updates', { origin: APP })).headers['access-control-expose-headers']).split(', ')
  expect(exposed).toEqual(
    expect.arrayContaining(['ETag', 'Link', 'Retry-After', 'X-Release', 'X-Credits-Remaining', 'RateLimit', 'WWW-Authenticate']),
  )
})

it('an OPTIONS request that is no preflight is refused with 405; preflights for POST or unknown paths are refused, too', async () => {
  expect((await ask('OPTIONS', '/v2/datasets')).statusCode).toBe(405)
  expect((await preflight('/v2/datasets', APP, 'POST')).statusCode).toBe(405)
  expect((await preflight('/nothing')).statusCode).toBe(404)
  expect((await preflight('/internal/db-diagnostics')).statusCode).toBe(404)
})

it('the service sends no CORS headers and no Vary: Origin without CORS_ORIGINS', async () => {
  const closed = await service({ examples: false })
  try {
    const answer = await closed.app.inject({ url: '/v2/datasets', headers: { origin: APP } })
    expect(granted(answer.headers)).toEqual([])
    expect(String(answer.headers['vary'])).not.toContain('Origin')
  } finally {
    await closed.close()
  }
})

it.each(['*', 'https://app.example/', 'app.example', 'https://app.example/path', 'null', 'file:///x'])(
  'the service refuses to start with CORS_ORIGINS=%s',
  origins => {
    expect(() => readConfig({ CORS_ORIGINS: origins })).toThrow('CORS_ORIGINS: must be origins')
  },
)
