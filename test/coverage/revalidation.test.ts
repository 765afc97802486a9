import { afterAll, beforeAll, expect, it } from 'vitest'
import { service, type TestService } from '../support.ts'

let s: TestService
beforeAll(async () => {
  s = await service({ inMemory: false })
})
afterAll(() => s.close())

it.each([
  '/v2/datasets',
  '/v2/datasets/earnings/freshness',
  '/coverage',
  '/v2/coverage',
  '/v2/product/tiers',
  '/v2/data-catalog/stats',
  '/metadata',
])('%s refuses an unknown parameter', async path => {
  const response = await s.get(`${path}?sybmol=2330`)
  expect([response.statusCode, response.json().detail[0].type]).toEqual([422, 'unknown_parameter'])
})

it.each([
  '/v2/datasets',
  '/v2/datasets/earnings/freshness',
  '/v2/datasets/earnings/schema',
  '/coverage',
  '/v2/coverage?symbol=2330',
  '/v2/product/tiers',
])('%s answers 304 to its ETag while nothing changed', async path => {
  const first = await s.get(path)
  const etag = first.headers['etag'] as string
  expect(etag).toMatch(/^"[\w-]{27}"$/)
  const again = await s.get(path, undefined, { 'if-none-match': `"other", W/${etag}` })
  expect([again.statusCode, again.body, again.headers['etag'], again.headers['cache-control']]).toEqual([304, '', etag, 'public, no-cache'])
  expect((await s.get(path, undefined, { 'if-none-match': '"other"' })).body).toBe(first.body)
})

it('a refusal has neither ETag nor Cache-Control', async () => {
  const refused = await s.get('/v2/coverage/nothing')
  expect([refused.headers['etag'], refused.headers['cache-control']]).toEqual([undefined, undefined])
})
