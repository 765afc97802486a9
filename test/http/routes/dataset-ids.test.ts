import { afterAll, beforeAll, expect, it } from 'vitest'
import { PRODUCTS } from '../../../catalog/index.ts'
import type { OpenApi } from '../../../src/http/openapi/index.ts'
import { NOW, service } from '../../support.ts'
import { holder } from '../../usage/ledger.ts'
import { cell } from '../cells.ts'
import { credentialsOn, type Documented, operationsOf, requestOf, shownBy } from '../openapi/openapi.ts'

const s = await service()
const operations = operationsOf((await s.get('/openapi.json')).json() as OpenApi)
const credentials = credentialsOn(s)
const buyer = holder(s, 'max', 'buyer@example.test', NOW)
const ids = new Map([...s.catalog.values(), ...PRODUCTS].map(({ id, slug }) => [id, slug]))
afterAll(() => s.close())

/** Reads one product of each kind, so that answers about usage name datasets. */
beforeAll(async () => {
  for (const url of [
    '/v2/datasets/securities-firm-master',
    '/v1/segments/all?symbol=2330',
    '/v2/search?q=2330',
    '/v2/query?entity_type=company&entity_id=2330',
  ])
    expect((await s.get(url, buyer.key)).statusCode).toBe(200)
})

/** Every object of an answer that names a dataset. */
function naming(value: unknown): readonly { readonly dataset: unknown; readonly slug?: unknown }[] {
  if (typeof value !== 'object' || value === null) return []
  const inside = Object.values(value).flatMap(naming)
  return 'dataset' in value && typeof value.dataset !== 'number' ? [value, ...inside] : inside
}

const readable = operations.filter(
  ({ method, path, operation }) =>
    method === 'GET' && path !== '/openapi.json' && operation['x-example-request'] && operation.responses['200'],
)
const ask = async (documented: Documented) => {
  const { url, headers } = requestOf(documented, shownBy(documented))
  const credential = credentials[Object.keys(documented.operation.security[0] ?? {})[0] ?? 'public']
  const answer = await s.app.inject({
    url,
    headers: { ...credential, ...headers, ...('api_key' in (documented.operation.security[0] ?? {}) ? { 'x-api-key': buyer.key } : {}) },
  })
  const [type, { body }] = [String(answer.headers['content-type']), answer]
  // An answer about the version of a shared table has no body, and its list of files is NDJSON.
  if (!type.includes('json') || body === '') return null
  return type.includes('ndjson') ? body.split('\n').map(line => line && JSON.parse(line)) : JSON.parse(body)
}

it('every answer names a dataset by its id, and a slug in the same object belongs to that id', async () => {
  let named = 0
  for (const documented of readable)
    await cell(documented.name, async () => {
      for (const { dataset, slug } of naming(await ask(documented))) {
        named++
        if (dataset === null) expect(slug ?? null).toBeNull()
        else {
          expect([...ids.keys()]).toContain(dataset)
          expect([dataset, slug ?? ids.get(String(dataset))]).toEqual([dataset, ids.get(String(dataset))])
        }
      }
    })
  expect(named).toBeGreaterThan(100)
})

it('an object in an answer that contains a dataset id also contains the slug', async () => {
  for (const path of [
    '/v2/datasets',
    '/v2/datasets/{dataset_key}/freshness',
    '/v2/datasets/{dataset_key}/schema',
    '/v2/data-catalog/stats',
    '/v2/data-catalog/reconciliation',
    '/coverage',
    '/v2/coverage',
    '/v2/coverage/{dataset}',
    '/v2/updates',
    '/v2/product/catalog',
    '/v2/query/fields',
    '/v2/account/entitlements',
    '/v2/account/usage-summary',
    '/v2/account/billing-preview',
  ])
    await cell(path, async () => {
      const named = naming(await ask(readable.find(one => one.path === path)!)).filter(one => !('query' in one))
      expect(named.length).toBeGreaterThan(0)
      expect(named.filter(one => !('slug' in one))).toEqual([])
    })
})

it.each([
  ['/v2/datasets/bond-yield-curve', 'max', 422, 'bond_yield_curve'],
  ['/v2/datasets/bond-yield-curve?symbol=TWGB', 'free', 403, 'bond_yield_curve'],
  ['/v2/datasets/theme-taxonomy?release=nonsense', 'free', 404, 'theme_taxonomy'],
  ['/v2/datasets/theme-taxonomy?release=20000101T000000000Z', 'free', 404, 'theme_taxonomy'],
  ['/v1/segments/all', 'max', 422, 'all_segments'],
  ['/v2/datasets/nothing', 'free', 404, null],
] as const)('the refusal of %s on plan %s has status %i and the dataset id %s with its slug', async (url, plan, status, id) => {
  for (const accept of ['application/json', 'application/problem+json']) {
    const { statusCode, ...answer } = await s.get(url, s.keyOn(plan), { accept })
    const slug = id === null ? null : ids.get(id)
    expect([statusCode, answer.json().error]).toMatchObject([status, { dataset: id, slug }])
  }
})

it('usage answers contain id and slug of a dataset, and can be filtered by id or slug', async () => {
  const idsIn = async (path: string, query = ''): Promise<readonly { dataset: string | null; slug: string | null }[]> => {
    const { by_dataset, lines } = (await s.get(`/v2/account/${path}${query}`, buyer.key)).json()
    return by_dataset ?? lines
  }
  for (const path of ['usage-summary', 'billing-preview']) {
    const all = await idsIn(path)
    for (const id of ['all_segments', 'securities_firm_master', 'search', 'query']) {
      const entry = all.find(({ dataset }) => dataset === id)
      expect(entry).toMatchObject({ dataset: id, slug: ids.get(id) })
      for (const name of [id, ids.get(id)]) expect(await idsIn(path, `?dataset=${name}`)).toContainEqual(entry)
    }
  }
})
