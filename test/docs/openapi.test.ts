import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OpenApi } from '../../src/http/describe/openapi.ts'
import { credentialsOn, type Documented, documentChecker, operationsOf, requestOf, shownBy } from '../contract/openapi.ts'
import { service, type TestService } from '../support.ts'

const s: TestService = await service()
const api = (await s.get('/openapi.json')).json() as OpenApi
const operations = operationsOf(api)
const check = documentChecker(api)
let credentials: ReturnType<typeof credentialsOn>
beforeAll(() => {
  credentials = credentialsOn(s)
})
afterAll(() => s.close())

const callerOf = ({ operation }: Documented): string => Object.keys(operation.security[0] ?? {})[0] ?? 'public'
const jsonOf = ({ operation }: Documented, status: string) => operation.responses[status]?.content['application/json']

it('is OpenAPI 3.1.0, version 2.0.0, without two operations of one name', async () => {
  expect(api).toMatchObject({ openapi: '3.1.0', info: { version: '2.0.0' } })
  expect(await new Validator().validate(structuredClone(api) as never)).toMatchObject({ valid: true })
  const names = operations.map(({ operation }) => operation.operationId)
  expect(new Set(names).size).toBe(names.length)
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
  it('shows bodies that its own schemas accept', () => {
    const shown = Object.values(operation.responses).flatMap(({ content }) => Object.values(content))
    for (const { schema, example, examples = {} } of shown) {
      for (const body of [...(example === undefined ? [] : [example]), ...Object.values(examples).map(({ value }) => value)])
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
