import { z } from 'zod'
import { Refusal, type RefusalCode } from '../../core/errors.ts'
import { RefusalBody } from '../answers/refusal.ts'
import type { Endpoint, Example, Group } from './endpoint.ts'
import { type Components, type JsonSchema, jsonSchema } from './json-schema.ts'
import { refusalExample, refusalsOf } from './refusals.ts'
import { operationId, type Route } from './routes.ts'
import { sampleOf } from './sample.ts'
import { API_VERSION, GROUPS, HEADERS, headersOf, isTagged, SECURITY } from './vocabulary.ts'

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description: string
  readonly schema: JsonSchema
  readonly example?: unknown
}

interface Response {
  readonly description: string
  readonly headers?: JsonSchema
  /** Absent where nothing is sent. */
  readonly content?: Readonly<Record<string, Content>>
}

interface Content {
  readonly schema: JsonSchema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>
}

export interface Operation {
  readonly operationId: string
  readonly tags: readonly [Group]
  readonly summary: string
  readonly description: string
  readonly 'x-credits'?: number
  readonly 'x-minimum-plan'?: string
  /** A request that is answered 200 with nothing but the credential; absent where none can be. */
  readonly 'x-example-request'?: Example
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Content>> }
  readonly responses: Readonly<Record<string, Response>>
}

/** The parts of the document that are read again, for the reference page and by tests. */
export interface OpenApi extends JsonSchema {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> } & JsonSchema
}

/** One documented operation, with where it is. */
export interface Documented {
  /** In capitals. */
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/** Every operation of the document, in its order. */
export const operationsOf = ({ paths }: OpenApi): readonly Documented[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )

/** The whole interface as OpenAPI 3.1.0, from what the routes declare. */
export function openApi(routes: readonly Route[]): OpenApi {
  const components: Components = new Map()
  const refusal = jsonSchema(RefusalBody, components)
  const paths: Record<string, Readonly<Record<string, Operation>>> = {}
  for (const route of routes) {
    const { [route.path]: others } = paths
    paths[route.path] = { ...others, [route.method.toLowerCase()]: operation(route, components, refusal) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'twmd: Taiwan market data',
      version: API_VERSION,
      summary: 'Read API over Taiwan market data',
      description:
        'Historical and statistical data; nothing here is investment advice. Dates are days in Taipei, timestamps carry +08:00, absent values are null.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: Object.entries(GROUPS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: SECURITY,
      headers: HEADERS,
    },
  }
}

function operation(route: Route, components: Components, refusal: JsonSchema): Operation {
  const { endpoint } = route
  const { summary, summaryZh, description, group, caller, credits, minimumPlan, body, example } = endpoint
  const declared = (['path', 'query', 'headers'] as const).flatMap(place => parametersOf(endpoint, place, components))
  const parameters = isTagged(route) ? [...declared, IF_NONE_MATCH] : declared
  return {
    operationId: operationId(route),
    tags: [group],
    summary,
    description: [`${summaryZh}。`, description].filter(Boolean).join(' '),
    ...(credits === undefined ? {} : { 'x-credits': credits, 'x-minimum-plan': minimumPlan ?? 'free' }),
    ...(example ? { 'x-example-request': example } : {}),
    security: caller === 'public' ? [] : [{ [caller]: [] }],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: requestBody(endpoint, body, components) } : {}),
    responses: { ...answers(route, components), ...refusals(endpoint, refusal) },
  }
}

const IF_NONE_MATCH: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'ETag of an answer one has; 304 when it is still the same.',
  schema: { type: 'string' },
}

const PLACES = { path: 'path', query: 'query', headers: 'header' } as const

function parametersOf(endpoint: Endpoint, place: keyof typeof PLACES, components: Components): readonly Parameter[] {
  const declared = endpoint[place]
  if (!declared) return []
  const { properties = {}, required = [] } = jsonSchema(declared, components) as {
    properties?: Record<string, JsonSchema>
    required?: readonly string[]
  }
  return Object.entries(properties).map(([name, { description, example, ...schema }]) => {
    const value = endpoint.example?.[place]?.[name] ?? example
    const shown = value === undefined ? {} : { example: place === 'query' ? typed(schema, value) : value }
    return {
      name,
      in: PLACES[place],
      required: place === 'path' || required.includes(name),
      description: String(description ?? ''),
      schema,
      ...shown,
    }
  })
}

/** A query value as its schema types it: `'5'` is 5 where an integer is wanted. */
function typed({ type }: JsonSchema, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (type === 'integer' || type === 'number') return Number(value)
  if (type === 'array') return [value]
  return type === 'boolean' ? value === 'true' : value
}

function requestBody({ example }: Endpoint, body: z.ZodType, components: Components): NonNullable<Operation['requestBody']> {
  const schema = jsonSchema(body, components)
  return {
    required: !body.isOptional(),
    content: { 'application/json': { schema, example: example?.body ?? sampleOf(schema, components) } },
  }
}

/** What comes of a request that is not refused. */
function answers(route: Route, components: Components): Operation['responses'] {
  const { endpoint } = route
  if (endpoint.answer instanceof z.ZodNever) return {}
  const unready = endpoint.unready && jsonSchema(endpoint.unready, components)
  const json = (schema: JsonSchema) => ({ 'application/json': { schema, example: sampleOf(schema, components) } })
  return {
    200: answer(route, components),
    ...(isTagged(route) ? { 304: { description: UNCHANGED, headers: referred(headersOf(route)) } } : {}),
    ...(unready ? { 503: { description: 'Not ready; checks name what is not.', content: json(unready) } } : {}),
  }
}

const UNCHANGED = 'The answer is the one If-None-Match names; nothing is sent, nothing charged.'

function answer(route: Route, components: Components): Response {
  const { answer, credits } = route.endpoint
  const headers = referred(headersOf(route))
  if (typeof answer === 'string') return { description: 'The document.', headers, content: { [answer]: { schema: { type: 'string' } } } }
  const schema = jsonSchema(answer, components)
  const description = credits === undefined ? 'The answer.' : `The answer; it costs ${credits} ${credits === 1 ? 'credit' : 'credits'}.`
  return { description, headers, content: { 'application/json': { schema, example: sampleOf(schema, components) } } }
}

/** Statuses after which one may try again later. */
const RETRIED: ReadonlySet<number> = new Set([429, 503])

/** One response for each status, with an example for each code that has it. */
function refusals(endpoint: Endpoint, schema: JsonSchema): Operation['responses'] {
  const byStatus = new Map<number, RefusalCode[]>()
  for (const code of refusalsOf(endpoint)) {
    const { status } = new Refusal(code)
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const examples = Object.fromEntries(codes.map(code => [code, { summary: new Refusal(code).message, value: refusalExample(code) }]))
      const headers = { ...referred(['X-Request-Id']), ...(RETRIED.has(status) ? referred(['Retry-After']) : {}) }
      return [status, { description: codes.join(', '), headers, content: { 'application/json': { schema, examples } } }]
    }),
  )
}

const referred = (names: readonly string[]): JsonSchema =>
  Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))
