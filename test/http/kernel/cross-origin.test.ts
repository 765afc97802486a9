import { afterAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../../src/core/index.ts'
import type { OpenApi } from '../../../src/http/openapi/index.ts'
import { service } from '../../support.ts'
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

describe.each(operations.filter(isShared))('$name', documented => {
  const { url } = requestOf(documented, {
    ...Object.fromEntries(['dataset', 'symbol', 'period'].map(name => [name, 'x'])),
    ...shownBy(documented),
  })
  it('may be read by a page of a named origin, after asking', async () => {
    const { statusCode, headers, body } = await preflight(url)
    expect([statusCode, body]).toEqual([204, ''])
    expect(headers).toMatchObject({
      'access-control-allow-origin': APP,
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-allow-headers': expect.stringContaining('X-API-Key'),
      'access-control-max-age': '7200',
      vary: expect.stringContaining('Origin'),
    })
    expect(headers).not.toHaveProperty('access-control-allow-credentials')
    const answer = await ask('GET', url, { origin: APP, 'x-api-key': key })
    expect(answer.headers).toMatchObject({ 'access-control-allow-origin': APP, vary: expect.stringContaining('Origin') })
    expect(String(answer.headers['access-control-expose-headers'])).toContain('X-Request-Id')
  })
  it('says nothing to other pages, and tells caches that it depends on the origin', async () => {
    for (const origin of ['https://evil.example', 'null', `${APP}.evil.example`, 'http://app.example']) {
      const [asked, answer] = [await preflight(url, origin), await ask('GET', url, { origin, 'x-api-key': key })]
      expect([asked.statusCode, granted(asked.headers), granted(answer.headers)]).toEqual([405, [], []])
      for (const { headers } of [asked, answer]) expect(headers['vary']).toContain('Origin')
    }
    expect((await preflight(url, APP, 'POST')).headers['vary']).toContain('Access-Control-Request-Method')
  })
})

describe.each(operations.filter(one => !isShared(one)))('$name', documented => {
  const { method, path } = documented
  it('is never shared', async () => {
    const { url } = requestOf(documented, { ...shownBy(documented), key_id: 'x', subscription_id: 'x' })
    const asked = await preflight(url, APP, method)
    // The same path may be shared by another method; this one is not.
    expect([asked.statusCode === 204, granted(asked.headers)]).toEqual([false, []])
    if (operations.some(one => one.path === path && isShared(one))) return
    const answer = await ask(method as 'GET', url, { origin: APP })
    expect(granted(answer.headers)).toEqual([])
  })
})

it('refusals of shared reads can be read by the page, too', async () => {
  for (const url of ['/v2/datasets/bond-yield-curve', '/v2/datasets/nothing', '/v2/updates?limit=0']) {
    const { statusCode, headers } = await ask('GET', url, { origin: APP })
    expect(statusCode).toBeGreaterThanOrEqual(400)
    expect(headers['access-control-allow-origin']).toBe(APP)
  }
})

it('every documented header of an answer can be read, those of quota and of the next page among them', async () => {
  const exposed = String((await ask('GET', '/v2/updates', { origin: APP })).headers['access-control-expose-headers']).split(', ')
  expect(exposed).toEqual(
    expect.arrayContaining(['ETag', 'Link', 'Retry-After', 'X-Release', 'X-Credits-Remaining', 'RateLimit', 'WWW-Authenticate']),
  )
})

it('OPTIONS without a preflight, and a method that is not for reading, are refused as ever', async () => {
  expect((await ask('OPTIONS', '/v2/datasets')).statusCode).toBe(405)
  expect((await preflight('/v2/datasets', APP, 'POST')).statusCode).toBe(405)
  expect((await preflight('/nothing')).statusCode).toBe(404)
  expect((await preflight('/internal/db-diagnostics')).statusCode).toBe(404)
})

it('without CORS_ORIGINS no answer speaks of origins', async () => {
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
  'CORS_ORIGINS=%s stops the start',
  origins => {
    expect(() => readConfig({ CORS_ORIGINS: origins })).toThrow('CORS_ORIGINS: must be origins')
  },
)
