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

  it('Q3 with underscores is an alias on every one of them', async () => {
    for (const path of KEYED) {
      const url = `${path.replace('KEY', 'bond_yield_curve')}${path.endsWith('KEY') ? '?symbol=10Y' : ''}`
      expect((await s.get(url, s.keyOn('max'))).statusCode, path).toBe(200)
    }
  })

  it('is answered by id as by slug, and described by slug alone', async () => {
    const { paths } = (await s.get('/openapi.json')).json()
    const named = [...s.catalog.values()].filter(({ access, path }) => access && path === undefined)
    for (const { id, slug, filters } of named) {
      const needed = Object.entries(filters).flatMap(([name, { required, example }]) => (required ? `${name}=${example}` : []))
      const of = async (name: string) => {
        const { statusCode, headers, ...answer } = await s.get(`/v2/datasets/${name}?limit=1&${needed}`, s.keyOn('max'))
        const known = [headers['etag'], headers['link'], headers['x-credits-charged'], headers['x-dataset']]
        return [statusCode, known, answer.body.replaceAll(String(headers['x-request-id']), 'ID')]
      }
      const bySlug = await of(slug)
      expect(bySlug[0]).toBe(200)
      for (const name of [id, id.replaceAll('-', '_')]) {
        expect(await of(name)).toEqual(bySlug)
        if (name !== slug) expect(paths).not.toHaveProperty(`/v2/datasets/${name}`)
      }
    }
    expect(named.length).toBeGreaterThan(7)
  })

  it('takes the same by id as by slug: HEAD, and no other method', async () => {
    const url = '/v2/datasets/theme_taxonomy'
    expect((await s.app.inject({ method: 'HEAD', url, headers: { 'x-api-key': s.keyOn('free') } })).statusCode).toBe(200)
    const posted = await s.app.inject({ method: 'POST', url })
    expect([posted.statusCode, posted.headers['allow']]).toEqual([405, 'GET, HEAD'])
  })

  it('is none that a field of a query names: its schema, freshness, coverage and badge answer, its rows are not sold', async () => {
    const fields = (await s.get('/v2/query/fields', s.keyOn('max'))).json().data as { dataset: string; field: string }[]
    expect(fields).toContainEqual(expect.objectContaining({ field: 'security.english_name', dataset: 'company_names' }))
    for (const name of new Set(fields.map(({ dataset }) => dataset))) {
      for (const path of [...KEYED.slice(0, 3), '/v2/data-catalog/reconciliation/KEY']) {
        const { statusCode, body } = await s.get(path.replace('KEY', name))
        expect([path, statusCode, JSON.parse(body).dataset]).toEqual([path, 200, name])
      }
    }
    expect((await s.get('/v2/datasets/company-names', s.keyOn('max'))).statusCode).toBe(404)
    const listed = (await s.get('/v2/datasets')).json().data as { dataset: string }[]
    expect(listed.map(({ dataset }) => dataset)).not.toContain('company_names')
  })

  it('is what the name of an internal dataset is to callers', async () => {
    for (const path of KEYED) expect((await s.get(path.replace('KEY', 'income-statements'), s.keyOn('max'))).statusCode, path).toBe(404)
  })
})

describe('a dataset that is described and not served by itself', () => {
  it.each(['/v2/datasets/company-names', '/v2/datasets/company_names', '/v2/datasets/company-names/cross-section?date=2026-06-30'])(
    'is said to be so at %s, with where its values are',
    async path => {
      const [english, chinese] = [await s.get(path, s.keyOn('max')), await s.get(path, s.keyOn('max'), { 'accept-language': 'zh-TW' })]
      const { error } = english.json()
      expect([english.statusCode, error.error_code, error.dataset]).toEqual([404, 'unknown_dataset', 'company_names'])
      expect([error.error_message, chinese.json().error.error_message]).toEqual([
        expect.stringContaining('not served by itself; /v2/query'),
        expect.stringContaining('不單獨提供'),
      ])
      const values = await s.get(`${error.read_at}&entity_id=2330&fields=security.english_name`, s.keyOn('max'))
      expect(values.statusCode).toBe(200)
    },
  )
})
