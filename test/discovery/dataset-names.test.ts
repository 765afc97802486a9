import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { service, type TestService } from '../support.ts'

let s: TestService
beforeAll(async () => {
  s = await service()
  await s.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => s.close())

/** Every path that takes a dataset key. */
const KEYED = ['/v2/datasets/KEY/freshness', '/v2/datasets/KEY/schema', '/v2/coverage/KEY', '/v2/datasets/KEY'] as const

/** Sends a path that ordinary clients would tidy up first. */
async function sendAsIs(path: string): Promise<unknown> {
  const { port } = s.app.server.address() as AddressInfo
  const [response] = (await once(get({ port, host: '127.0.0.1', path, headers: { 'x-api-key': s.keyOn('max') } }), 'response')) as [
    IncomingMessage,
  ]
  expect(response.statusCode).toBe(404)
  return json(response)
}

describe('Q3 a dataset key that names no dataset', () => {
  it.each(
    KEYED.flatMap(path =>
      ['..%2F..%2Fetc%2Fpasswd', '%2e%2e%2f', 'CON', 'nul.txt', '__proto__', 'constructor', 'a'.repeat(3_000), '%00', '%20earnings'].map(
        key => [path, key] as const,
      ),
    ),
  )('Q3 on %s is unknown: %s', async (path, key) => {
    const response = await s.get(path.replace('KEY', key), s.keyOn('max'))
    const { error } = response.json()
    expect([response.statusCode, error.error_code]).toEqual([404, 'unknown_dataset'])
    expect(JSON.stringify(error)).not.toMatch(/passwd|\.\.|ENOENT/)
  })

  it.each(KEYED)('Q3 on %s names no file outside the catalog: ../../etc/passwd', async path => {
    for (const key of ['../../etc/passwd', '%2e%2e/%2e%2e/etc/passwd']) {
      expect(await sendAsIs(path.replace('KEY', key))).toMatchObject({ error: { error_code: 'unknown_path' } })
    }
  })

  it.each(KEYED)('Q3 on %s in upper case is unknown, and the right name is suggested', async path => {
    const response = await s.get(path.replace('KEY', 'BOND-YIELD-CURVE'), s.keyOn('max'))
    expect([response.statusCode, response.json().error.did_you_mean]).toEqual([404, 'bond-yield-curve'])
  })

  it('Q3 with underscores is an alias on catalog paths; on reads it is refused and the right name suggested', async () => {
    for (const path of KEYED.slice(0, 3)) expect((await s.get(path.replace('KEY', 'bond_yield_curve'))).statusCode, path).toBe(200)
    const read = await s.get('/v2/datasets/bond_yield_curve', s.keyOn('max'))
    expect([read.statusCode, read.json().error.did_you_mean]).toEqual([404, 'bond-yield-curve'])
  })

  it('is none that a field of a query names: its schema, freshness, coverage and badge answer, its rows are not sold', async () => {
    const fields = (await s.get('/v2/query/fields', s.keyOn('max'))).json().data as { dataset: string; field: string }[]
    expect(fields).toContainEqual(expect.objectContaining({ field: 'index.value', dataset: 'market_indices' }))
    for (const name of new Set(fields.map(({ dataset }) => dataset))) {
      for (const path of [...KEYED.slice(0, 3), '/v2/data-catalog/reconciliation/KEY']) {
        const { statusCode, body } = await s.get(path.replace('KEY', name))
        expect([path, statusCode, JSON.parse(body).dataset]).toEqual([path, 200, name])
      }
    }
    expect((await s.get('/v2/datasets/market-indices', s.keyOn('max'))).statusCode).toBe(404)
    const listed = (await s.get('/v2/datasets')).json().data as { dataset: string }[]
    expect(listed.map(({ dataset }) => dataset)).not.toContain('market_indices')
  })

  it('is what the name of an internal dataset is to callers', async () => {
    for (const path of KEYED) expect((await s.get(path.replace('KEY', 'daily-quotes'), s.keyOn('max'))).statusCode, path).toBe(404)
  })
})
