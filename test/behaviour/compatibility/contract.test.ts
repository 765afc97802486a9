import { readFileSync } from 'node:fs'
import { afterAll, expect, it } from 'vitest'
import type { OpenApi } from '../../../src/http/openapi/index.ts'
import { service } from '../../support.ts'
import { breaks, CONTRACT, factsOf } from './contract.ts'

const s = await service({ examples: false })
const api = (await s.get('/openapi.json')).json() as OpenApi
afterAll(() => s.close())

it('the API keeps the accepted contract (npm run contract accepts an intended change)', () =>
  expect(breaks(readFileSync(CONTRACT, 'utf8').trimEnd().split('\n'), factsOf(api))).toEqual([]))

/** The description of one operation as JSON. It contains every kind of fact that can change. */
const DESCRIBED = JSON.stringify({
  paths: {
    '/rows': {
      get: {
        security: [{ api_key: [] }],
        parameters: [
          { name: 'symbol', in: 'query', required: true, schema: { type: 'string' } },
          { name: 'order', in: 'query', required: false, schema: { type: 'string', enum: ['asc', 'desc'] } },
        ],
        responses: { 200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/rows' } } } } },
      },
    },
  },
  components: {
    schemas: {
      rows: {
        type: 'object',
        properties: {
          total: { type: 'integer' },
          data: { type: 'array', items: { type: 'object', properties: { day: { type: 'string' } } } },
        },
        required: ['total', 'data'],
      },
    },
  },
})
const facts = (text: string): readonly string[] => factsOf(JSON.parse(text) as OpenApi)

it.each([
  ['a renamed path', '"/rows"', '"/lines"', 'gone: GET /rows'],
  ['another credential', '[{"api_key":[]}]', '[]', 'gone: GET /rows called with api_key'],
  ['a renamed parameter', '"name":"order"', '"name":"sort"', 'gone: GET /rows query order: string'],
  ['a value that is no longer accepted', ',"desc"]', ']', 'gone: GET /rows query order takes desc'],
  [
    'a parameter that became required',
    '"order","in":"query","required":false',
    '"order","in":"query","required":true',
    'new: GET /rows query order is required',
  ],
  ['a renamed field', '"total":{', '"count":{', 'gone: GET /rows 200 application/json.total: integer'],
  ['a field of another type', '"integer"', '"string"', 'gone: GET /rows 200 application/json.total: integer'],
  ['a field that may be null', '"integer"', '["integer","null"]', 'gone: GET /rows 200 application/json.total: integer'],
  ['a field that may be absent', '["total","data"]', '["data"]', 'gone: GET /rows 200 application/json.total is always there'],
  ['a removed nested field', '"day":{"type":"string"}', '', 'gone: GET /rows 200 application/json.data[].day: string'],
])('the contract check reports %s as breaking', (_, from, replacement, named) => {
  expect(DESCRIBED).toContain(from)
  expect(breaks(facts(DESCRIBED), facts(DESCRIBED.replace(from, replacement)))).toContain(named)
})

it.each([
  [
    'a new operation',
    '"paths":{',
    '"paths":{"/new":{"get":{"security":[],"parameters":[{"name":"x","in":"query","required":true,"schema":{}}],"responses":{}}},',
  ],
  ['a new optional parameter', '"parameters":[', '"parameters":[{"name":"x","in":"query","required":false,"schema":{"type":"string"}},'],
  ['a new value', '"desc"]', '"desc","none"]'],
  ['a parameter that became optional', '"required":true', '"required":false'],
  ['a new field', '"properties":{"total"', '"properties":{"added":{"type":"string"},"total"'],
])('the contract check allows %s', (_, from, replacement) => {
  expect(DESCRIBED).toContain(from)
  expect(breaks(facts(DESCRIBED), facts(DESCRIBED.replace(from, replacement)))).toEqual([])
})
