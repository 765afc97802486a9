import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { crossSections, served } from '../../../catalog/index.ts'
import { type OpenApi, responsesIn } from '../../../src/http/openapi/index.ts'
import { service, type TestService } from '../../support.ts'
import { PAGES, routedBy } from '../routes/router.ts'
import { credentialsOn, type Documented, documentChecker, operationsOf, requestOf, shownBy } from './openapi.ts'

const s: TestService = await service()
const api = (await s.get('/openapi.json')).json() as OpenApi
const operations = operationsOf(api)
const check = documentChecker(api)
let credentials: ReturnType<typeof credentialsOn>
beforeAll(() => {
  credentials = credentialsOn(s)
})
afterAll(() => s.close())

/** Probes answer whatever is asked of them; a reserved path is refused before its parameters are looked at. */
const LENIENT = new Set(['/healthz', '/health', '/readyz', '/docs', '/fact/{dataset}/{symbol}/{period}'])

const callerOf = ({ operation }: Documented): string => Object.keys(operation.security[0] ?? {})[0] ?? 'public'
const jsonOf = ({ operation }: Documented, status: string) => responsesIn(api, operation)[status]?.content?.['application/json']

it('the description is OpenAPI 3.1.0, version 2.0.0, without two operations of one name', async () => {
  expect(api).toMatchObject({ openapi: '3.1.0', info: { version: '2.0.0' } })
  expect(await new Validator().validate(structuredClone(api) as never)).toMatchObject({ valid: true })
  const names = operations.map(({ operation }) => operation.operationId)
  expect(new Set(names).size).toBe(names.length)
})

it('the description names every path and method of the router, but for pages, what agents call, reads by id and the one that refuses unknown datasets', () => {
  const named = operations.map(({ name }) => name.replace(/\{(\w+)\}/g, ':$1'))
  const byId = [...s.catalog.values()].flatMap(({ id, slug, access, path }) => (access && !path && id !== slug ? [id] : []))
  const underscored = 'institutional_positioning'
  const sections = [...byId.filter(id => crossSections(s.catalog).some(section => section.id === id)), underscored, ':dataset_key']
  const reads = [...byId, underscored, ':dataset_key', ...sections.map(name => `${name}/cross-section`)]
  const pages = [...PAGES, '/assets/:file', '/robots.txt', '/sitemap.xml'].map(path => `GET ${path}`)
  const all = [...named, 'POST /mcp', ...pages, ...reads.map(name => `GET /v2/datasets/${name}`)]
  const heads = all.flatMap(name => (name.startsWith('GET ') ? [name.replace('GET', 'HEAD')] : []))
  expect([...all, ...heads].toSorted()).toEqual(routedBy(s.app).toSorted())
})

it('the description is small enough to open: what several operations share is written once', async () => {
  const sold = served(s.catalog).length
  const others = operations.filter(({ operation }) => operation.tags[0] !== 'datasets').length
  expect((await s.get('/openapi.json')).rawPayload.length).toBeLessThan(4_000 * others + 23_400 * sold)
  expect(operations.filter(({ operation }) => operation.responses['304'] && !('$ref' in operation.responses['304']))).toEqual([])
  const refusals = operations.flatMap(({ operation }) => Object.entries(operation.responses).filter(([status]) => status >= '400'))
  expect(refusals.filter(([status, refusal]) => status !== '503' && !('$ref' in refusal))).toEqual([])
})

describe.each(operations)('$name', documented => {
  const { operation } = documented
  it('says what it is, in both languages, and what it costs where it costs', () => {
    expect(operation.summary).toMatch(/^[A-Z].*[^.]$/)
    expect(operation.description).toMatch(/[一-鿿]/)
    expect([operation['x-credits'] === undefined, operation['x-minimum-plan'] === undefined]).toSatisfy(([a, b]) => a === b)
  })
  it('describes every parameter, and gives an example of each that is required', () => {
    const parameters = operation.parameters ?? []
    expect(parameters.filter(({ description }) => description.length < 3).map(({ name }) => name)).toEqual([])
    expect(parameters.filter(({ required, example }) => required && example === undefined).map(({ name }) => name)).toEqual([])
  })
  it('takes every parameter it names, and refuses one it does not name', async () => {
    const query = (operation.parameters ?? []).filter(({ in: place }) => place === 'query')
    const sent = {
      ...shownBy(documented),
      ...Object.fromEntries(query.map(({ name }) => [name, name === 'release' ? undefined : '\u0001'])),
    }
    const { url, headers } = requestOf(documented, sent)
    const payload = operation['x-example-request']?.body as object | undefined
    const given = {
      method: documented.method as 'GET',
      headers: { ...credentials[callerOf(documented)], ...headers },
      ...(payload && { payload }),
    }
    const unknownIn = async (address: string): Promise<readonly string[]> => {
      const response = await s.app.inject({ ...given, url: address })
      if (response.statusCode !== 422) return []
      const { detail } = response.json()
      return Array.isArray(detail) ? detail.filter(({ type }) => type === 'unknown_parameter').map(({ loc }) => loc[1]) : []
    }
    if (query.length > 0) expect(await unknownIn(url)).toEqual([])
    if (documented.method !== 'GET') return
    const { url: shown } = requestOf(documented, shownBy(documented))
    const refused = await unknownIn(`${shown}${shown.includes('?') ? '&' : '?'}no_such=1`)
    expect(refused).toEqual(LENIENT.has(documented.path) ? [] : ['no_such'])
  })
  it('shows bodies that its own schemas accept', () => {
    const shown = Object.values(responsesIn(api, operation)).flatMap(({ content = {} }) => Object.values(content))
    for (const { schema, example, examples = {} } of shown) {
      for (const body of [
        ...(example === undefined ? [] : [example]),
        ...Object.keys(examples).map(code => api.components.examples[code]!.value),
      ])
        expect(check(schema, body)).toEqual([])
    }
    const body = operation.requestBody?.content['application/json']
    if (body) expect(check(body.schema, body.example)).toEqual([])
  })
})

const reads = operations.filter(({ method, operation }) => method === 'GET' && operation['x-example-request'])
describe.each(reads)('the examples of $name', documented => {
  const { operation } = documented
  const parameters = operation.parameters ?? []
  const sent = shownBy(documented)
  const optional = parameters.filter(({ name, example }) => !(name in sent) && example !== undefined)
  it.each([{ name: 'the request shown', example: undefined }, ...optional])('answer as declared: $name', async ({ name, example }) => {
    const { url, headers } = requestOf(documented, example === undefined ? sent : { ...sent, [name]: example })
    const response = await s.app.inject({ url, headers: { ...credentials[callerOf(documented)], ...headers } })
    expect([url, response.statusCode, response.statusCode === 200 ? '' : response.body]).toEqual([url, 200, ''])
    const declared = jsonOf(documented, '200')
    if (declared) expect(check(declared.schema, response.json())).toEqual([])
  })
})
