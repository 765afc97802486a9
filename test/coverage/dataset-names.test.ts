import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { service, type TestService } from '../support.ts'

let s: TestService
let key: string
beforeAll(async () => {
  s = await service({ inMemory: false })
  key = s.keyOn('max')
  await s.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => s.close())

/** Every path that takes a dataset key. */
const KEYED = ['/v2/datasets/KEY/freshness', '/v2/datasets/KEY/schema', '/v2/coverage/KEY', '/v2/datasets/KEY'] as const

/** Sends a path without the normalization that HTTP clients do. */
async function sendAsIs(path: string): Promise<unknown> {
  const { port } = s.app.server.address() as AddressInfo
  const [response] = (await once(get({ port, host: '127.0.0.1', path, headers: { 'x-api-key': key } }), 'response')) as [IncomingMessage]
  expect(response.statusCode).toBe(404)
  return json(response)
}

it('Q3: a dataset key that names no dataset is unknown on every path, and the answer contains no file path', async () => {
  const unknown = [
    '..%2F..%2Fetc%2Fpasswd',
    '%2e%2e%2f',
    'CON',
    'nul.txt',
    '__proto__',
    'constructor',
    'a'.repeat(3_000),
    '%00',
    '%20earnings',
  ]
  for (const path of KEYED)
    for (const name of unknown) {
      const response = await s.get(path.replace('KEY', name), key)
      const { error } = response.json()
      expect.soft([response.statusCode, error?.error_code], `${path}, ${name}`).toEqual([404, 'unknown_dataset'])
      expect.soft(response.body, `${path}, ${name}`).not.toMatch(/passwd|\.\.|ENOENT/)
    }
})

it('Q3: a dataset key with ../ is an unknown path on every path', async () => {
  for (const path of KEYED)
    for (const name of ['../../etc/passwd', '%2e%2e/%2e%2e/etc/passwd'])
      expect.soft(await sendAsIs(path.replace('KEY', name)), `${path}, ${name}`).toMatchObject({ error: { error_code: 'unknown_path' } })
})

it('Q3: a slug in upper case is unknown on every path, and the answer suggests the right slug', async () => {
  for (const path of KEYED) {
    const response = await s.get(path.replace('KEY', 'BOND-YIELD-CURVE'), key)
    expect.soft([response.statusCode, response.json().error?.did_you_mean], path).toEqual([404, 'bond-yield-curve'])
  }
})

it('Q3: a slug with underscores is an alias on every path', async () => {
  for (const path of KEYED) {
    const url = `${path.replace('KEY', 'bond_yield_curve')}${path.endsWith('KEY') ? '?symbol=10Y' : ''}`
    expect((await s.get(url, key)).statusCode, path).toBe(200)
  }
})

it('reads by dataset id have the same answers as reads by slug, and OpenAPI lists only the slug', async () => {
  const { paths } = (await s.get('/openapi.json')).json()
  const named = [...s.catalog.values()].filter(({ access, path }) => access && path === undefined)
  for (const { id, slug, filters } of named) {
    const needed = Object.entries(filters).flatMap(([name, { required, example }]) => (required ? `${name}=${example}` : []))
    const read = async (name: string) => {
      const { statusCode, headers, ...answer } = await s.get(`/v2/datasets/${name}?limit=1&${needed}`, key)
      const headerValues = [headers['etag'], headers['link'], headers['x-credits-charged'], headers['x-dataset']]
      return [statusCode, headerValues, answer.body.replaceAll(String(headers['x-request-id']), 'ID')]
    }
    const bySlug = await read(slug)
    expect(bySlug[0]).toBe(200)
    for (const name of [id, id.replaceAll('-', '_')]) {
      expect(await read(name)).toEqual(bySlug)
      if (name !== slug) expect(paths).not.toHaveProperty(`/v2/datasets/${name}`)
    }
  }
  expect(named.length).toBeGreaterThan(7)
})

it('a path with a dataset id accepts HEAD and refuses POST with 405', async () => {
  const url = '/v2/datasets/theme_taxonomy'
  expect((await s.app.inject({ method: 'HEAD', url, headers: { 'x-api-key': s.keyOn('free') } })).statusCode).toBe(200)
  const posted = await s.app.inject({ method: 'POST', url })
  expect([posted.statusCode, posted.headers['allow']]).toEqual([405, 'GET, HEAD'])
})

it('schema, freshness, coverage and badge exist for every dataset that a query field names, sold or not', async () => {
  const fields = (await s.get('/v2/query/fields', key)).json().data as { dataset: string; field: string }[]
  expect(fields).toContainEqual(expect.objectContaining({ field: 'security.english_name', dataset: 'company_names' }))
  for (const name of new Set(fields.map(({ dataset }) => dataset))) {
    for (const path of [...KEYED.slice(0, 3), '/v2/data-catalog/reconciliation/KEY']) {
      const { statusCode, body } = await s.get(path.replace('KEY', name))
      expect([path, statusCode, JSON.parse(body).dataset]).toEqual([path, 200, name])
    }
  }
  expect((await s.get('/v2/datasets/company-names', key)).statusCode).toBe(404)
  const listed = (await s.get('/v2/datasets')).json().data as { dataset: string }[]
  expect(listed.map(({ dataset }) => dataset)).not.toContain('company_names')
})

it('the name of an internal dataset is unknown on every path', async () => {
  for (const path of KEYED) expect((await s.get(path.replace('KEY', 'income-statements'), key)).statusCode, path).toBe(404)
})

it.each(['/v2/datasets/company-names', '/v2/datasets/company_names', '/v2/datasets/company-names/cross-section?date=2026-06-30'])(
  '%s, a path of a dataset without a read of its own, answers 404 and refers to /v2/query',
  async path => {
    const [english, chinese] = [await s.get(path, key), await s.get(path, key, { 'accept-language': 'zh-TW' })]
    const { error } = english.json()
    expect([english.statusCode, error.error_code, error.dataset]).toEqual([404, 'unknown_dataset', 'company_names'])
    expect([error.error_message, chinese.json().error.error_message]).toEqual([
      expect.stringContaining('cannot be read directly. Query its fields in /v2/query'),
      expect.stringContaining('不單獨提供'),
    ])
    const values = await s.get(`${error.read_at}&entity_id=2330&fields=security.english_name`, key)
    expect(values.statusCode).toBe(200)
  },
)
