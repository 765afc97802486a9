import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { crossSections, served } from '../../../catalog/index.ts'
import { readEmail } from '../../../src/accounts/index.ts'
import { type OpenApi, responsesIn } from '../../../src/http/openapi/index.ts'
import { service, type TestService } from '../../support.ts'
import { cell } from '../cells.ts'
import { PAGES, routedBy } from '../routes/router.ts'
import { checkExamples } from './examples.ts'
import { callerOf, credentialsOn, documentChecker, operationsOf, requestOf, shownBy } from './openapi.ts'

const s: TestService = await service()
const api = (await s.get('/openapi.json')).json() as OpenApi
const operations = operationsOf(api)
const check = documentChecker(api)
/** Operations that refuse their valid example because of the service's state. */
const ANSWERED_BY_STATE: ReadonlySet<string> = new Set(['POST /v2/billing/webhook'])

let credentials: ReturnType<typeof credentialsOn>
beforeAll(() => {
  credentials = credentialsOn(s)
})
afterAll(() => s.close())

/** Probes ignore parameters, and a reserved path is refused before its parameters are checked. */
const LENIENT = new Set(['/healthz', '/health', '/readyz', '/docs', '/fact/{dataset}/{symbol}/{period}'])

it('the OpenAPI document is valid OpenAPI 3.1.0 with unique operation ids', async () => {
  expect(api).toMatchObject({ openapi: '3.1.0', info: { version: '2.0.0' } })
  expect(await new Validator().validate(structuredClone(api) as never)).toMatchObject({ valid: true })
  const names = operations.map(({ operation }) => operation.operationId)
  expect(new Set(names).size).toBe(names.length)
})

it('the OpenAPI document lists every route except pages, /mcp, reads by dataset id and the unknown-dataset fallback', () => {
  const named = operations.map(({ name }) => name.replace(/\{(\w+)\}/g, ':$1'))
  const byId = [...s.catalog.values()].flatMap(({ id, slug, access, path }) => (access && !path && id !== slug ? [id] : []))
  const underscored = 'institutional_positioning'
  const sections = [...byId.filter(id => crossSections(s.catalog).some(section => section.id === id)), underscored, ':dataset_key']
  const reads = [...byId, underscored, ':dataset_key', ...sections.map(name => `${name}/cross-section`)]
  const pages = [...PAGES, '/docs/guides.json', '/assets/:file', '/robots.txt', '/sitemap.xml'].map(path => `GET ${path}`)
  const all = [...named, 'POST /mcp', ...pages, ...reads.map(name => `GET /v2/datasets/${name}`)]
  const heads = all.flatMap(name => (name.startsWith('GET ') ? [name.replace('GET', 'HEAD')] : []))
  expect([...all, ...heads].toSorted()).toEqual(routedBy(s.app).toSorted())
})

it('the OpenAPI document defines shared responses once and stays small', async () => {
  const sold = served(s.catalog).length
  const others = operations.filter(({ operation }) => operation.tags[0] !== 'datasets').length
  expect((await s.get('/openapi.json')).rawPayload.length).toBeLessThan(4_200 * others + 25_500 * sold)
  expect(operations.filter(({ operation }) => operation.responses['304'] && !('$ref' in operation.responses['304']))).toEqual([])
  const refusals = operations.flatMap(({ operation }) => Object.entries(operation.responses).filter(([status]) => status >= '400'))
  expect(refusals.filter(([status, refusal]) => status !== '503' && !('$ref' in refusal))).toEqual([])
})

it('every operation has a summary and a Chinese description, and has a price if and only if it has a plan', async () => {
  for (const { name, operation } of operations)
    await cell(name, () => {
      expect(operation.summary).toMatch(/^[A-Z].*[^.]$/)
      expect(operation.description).toMatch(/[一-鿿]/)
      expect(operation['x-credits'] === undefined, 'price').toBe(operation['x-minimum-plan'] === undefined)
    })
})

it('every parameter has a description, and every required parameter an example', () => {
  for (const { name, operation } of operations)
    for (const parameter of operation.parameters ?? []) {
      expect.soft(parameter.description.length, `${name} ${parameter.name}, description`).toBeGreaterThanOrEqual(3)
      if (parameter.required) expect.soft(parameter.example, `${name} ${parameter.name}, example`).toBeDefined()
    }
})

it('every operation accepts the parameters it declares and refuses any other parameter with unknown_parameter', async () => {
  for (const documented of operations) {
    const { operation } = documented
    const query = (operation.parameters ?? []).filter(({ in: place }) => place === 'query')
    const payload = operation['x-example-request']?.body as object | undefined
    const unknownIn = async ({ url, headers }: ReturnType<typeof requestOf>): Promise<readonly string[]> => {
      const response = await s.app.inject({
        method: documented.method as 'GET',
        headers: { ...credentials[callerOf(documented)], ...headers },
        ...(payload && { payload }),
        url,
      })
      if (response.statusCode !== 422) return []
      const { detail } = response.json()
      return Array.isArray(detail) ? detail.filter(({ type }) => type === 'unknown_parameter').map(({ loc }) => loc[1]) : []
    }
    const invalid = Object.fromEntries(query.map(({ name }) => [name, name === 'release' ? undefined : '\u0001']))
    if (query.length > 0) {
      const declared = requestOf(documented, { ...shownBy(documented), ...invalid })
      expect.soft(await unknownIn(declared), `${documented.name}, declared parameters`).toEqual([])
    }
    if (documented.method !== 'GET') continue
    const shown = requestOf(documented, shownBy(documented))
    const url = `${shown.url}${shown.url.includes('?') ? '&' : '?'}no_such=1`
    const expected = LENIENT.has(documented.path) ? [] : ['no_such']
    expect.soft(await unknownIn({ ...shown, url }), `${documented.name}, no_such=1`).toEqual(expected)
  }
})

it('every example body in the document matches its schema', () => {
  for (const { name, operation } of operations) {
    for (const [status, { content = {} }] of Object.entries(responsesIn(api, operation)))
      for (const { schema, example, examples = {} } of Object.values(content)) {
        if (example !== undefined) expect.soft(check(schema, example), `${name} ${status}`).toEqual([])
        for (const code of Object.keys(examples))
          expect.soft(check(schema, api.components.examples[code]!.value), `${name} ${status} ${code}`).toEqual([])
      }
    const body = operation.requestBody?.content['application/json']
    if (body) expect.soft(check(body.schema, body.example), `${name}, request body`).toEqual([])
  }
})

it('every example of a request body or parameter is accepted by the service', async () => {
  const wrong: string[] = []
  // Requests that end the session or close the account come last.
  for (const documented of operations.toSorted((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'))) {
    const { name, method, operation } = documented
    const body = operation.requestBody?.content['application/json']?.example
    const required = (operation.parameters ?? []).filter(({ required, in: place }) => required || place === 'path')
    const shown = { ...Object.fromEntries(required.map(({ name, example }) => [name, example])), ...shownBy(documented) }
    const { url, headers } = requestOf(documented, shown)
    const response = await s.app.inject({
      method: method as 'GET',
      url,
      headers: { ...credentials[callerOf(documented)], ...headers },
      ...(body === undefined ? {} : { payload: body as object }),
    })
    if ([400, 405, 415, 422].includes(response.statusCode) && !ANSWERED_BY_STATE.has(name)) wrong.push(`${name}: ${response.body}`)
    expect.soft(Object.keys(operation.responses), name).toContain(String(response.statusCode))
  }
  expect(wrong).toEqual([])
})

it('every dry run is answered with a declared media type and body', async () => {
  const foretold = operations.filter(({ operation }) => operation.parameters?.some(({ name }) => name === 'dry_run'))
  expect(foretold.length).toBeGreaterThan(20)
  for (const documented of foretold) {
    const { url, headers } = requestOf(documented, { ...shownBy(documented), dry_run: true })
    const { body, headers: answered } = await s.app.inject({ url, headers: { ...credentials[callerOf(documented)], ...headers } })
    const [type] = String(answered['content-type']).split(';') as [string]
    const { content = {} } = responsesIn(api, documented.operation)['200']!
    expect.soft(content[type] && check(content[type].schema, JSON.parse(body)), `${url}, ${type}`).toEqual([])
  }
})

/** Every object of the document, with its path; examples are values, not schemas. */
function* schemasIn(value: unknown, path = '#'): Generator<readonly [path: string, schema: Readonly<Record<string, unknown>>]> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield [path, value as Readonly<Record<string, unknown>>]
  for (const [name, inner] of Object.entries(value)) if (!['example', 'examples'].includes(name)) yield* schemasIn(inner, `${path}/${name}`)
}

it('the OpenAPI document has no construct that client generators cannot read', () => {
  for (const [path, schema] of schemasIn(api)) {
    expect.soft([schema['items'] === false, schema['prefixItems']], path).toEqual([false, undefined])
    const members = Array.isArray(schema['enum']) ? schema['enum'] : []
    const identifiers = members.map(member =>
      String(member)
        .toLowerCase()
        .replaceAll(/[^a-z0-9]/g, '_'),
    )
    expect.soft(new Set(identifiers).size, `${path} ${members}`).toBe(members.length)
  }
  for (const { name, operation } of operations) {
    const { content = {} } = responsesIn(api, operation)['200'] ?? {}
    // Generators that support one media type for each status use the first media type.
    if ('application/json' in content) expect.soft(Object.keys(content)[0], name).toBe('application/json')
    if (operation['x-credits'] !== undefined) expect.soft(content['application/json']?.schema['anyOf'], name).toBeUndefined()
  }
})

it('the reserved path is answered with a declared status and body in every format of errors', async () => {
  const { operation } = operations.find(({ path }) => path.startsWith('/fact/'))!
  for (const accept of ['application/json', 'application/problem+json', 'text/csv'])
    for (const url of ['/fact/earnings/2330/2026-Q1', '/fact/no-such/%2F/x', '/fact/earnings/2330/2026-Q1/']) {
      const { statusCode, headers, body } = await s.app.inject({ url, headers: { accept } })
      const [type] = String(headers['content-type']).split(';') as [string]
      const declared = responsesIn(api, operation)[String(statusCode)]?.content?.[type]
      expect.soft([statusCode, declared && check(declared.schema, JSON.parse(body))], `${url} ${accept}`).toEqual([501, []])
    }
})

it('the documented pattern of an e-mail address matches only addresses that the service accepts', () => {
  const start = operations.find(({ path }) => path.endsWith('/onboarding/start'))!
  const { email } = start.operation.requestBody!.content['application/json']!.schema['properties'] as Record<string, { pattern: string }>
  const form = new RegExp(email!.pattern, 'u')
  for (const address of ['analyst@example.com', 'a.b+c@mail.example.co', "o'neil@example.tw"]) {
    expect.soft(form.test(address), address).toBe(true)
    expect.soft(readEmail(address), address).toBeDefined()
  }
  for (const text of ['', 'analyst', 'a@b', 'a@b.1', 'a@-b.com', 'a b@example.com', 'a@example.com, b@example.com', 'a@@example.com']) {
    expect.soft(form.test(text), text).toBe(false)
    expect.soft(readEmail(text), text).toBeUndefined()
  }
})

it('every example request is answered with 200 and the declared body', () => checkExamples(s, api, false, check))
