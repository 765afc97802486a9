import type { z } from 'zod'
import type { Caller, Endpoint } from '../kernel/index.ts'
import type { OpenApi, Operation, Parameter } from './document.ts'
import { type Components, type JsonSchema, jsonSchema, sampleOf } from './json-schema.ts'
import { ProblemBody, RefusalBody, refusalExamples } from './refusals.ts'
import { type RefusalSchemas, responsesOf, type SharedResponses } from './responses.ts'
import { type DescribedRoute, operationId } from './routes.ts'
import { API_VERSION, GROUPS, HEADERS, hasEtag, SECURITY } from './vocabulary.ts'

/** Returns the complete API as OpenAPI 3.1.0. */
export function openApi(routes: readonly DescribedRoute[]): OpenApi {
  const components: Components = new Map()
  const shared: SharedResponses = new Map()
  const refusal = { plain: jsonSchema(RefusalBody, components), problem: jsonSchema(ProblemBody, components) }
  const paths: Record<string, Readonly<Record<string, Operation>>> = {}
  for (const route of routes) {
    const { [route.path]: others } = paths
    paths[route.path] = { ...others, [route.method.toLowerCase()]: operation(route, components, refusal, shared) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'twmd: Taiwan market data',
      version: API_VERSION,
      summary: 'Read API over Taiwan market data',
      description:
        'Historical and statistical data; nothing is investment advice. Dates are Taipei days, timestamps have the offset +08:00, missing values are null. Every GET path also supports HEAD, which returns the headers of the GET free of charge. For priced reads, HEAD omits the headers that depend on the rows. Errors are RFC 9457 problems if `Accept` contains `application/problem+json`. Error messages are in Traditional Chinese if `Accept-Language` requests it.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: Object.entries(GROUPS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
      responses: Object.fromEntries(shared),
      examples: refusalExamples(),
      securitySchemes: SECURITY,
      headers: HEADERS,
    },
  }
}

function operation(route: DescribedRoute, components: Components, refusal: RefusalSchemas, shared: SharedResponses): Operation {
  const { endpoint } = route
  const { summary, summaryZh, description, group, caller, priced, body, example } = endpoint
  const declared = (['path', 'query', 'headers'] as const).flatMap(place => parametersOf(endpoint, place, components))
  const parameters = hasEtag(route) ? [...declared, IF_NONE_MATCH] : declared
  return {
    operationId: operationId(route),
    tags: [group],
    summary,
    description: [`${summaryZh}。`, description].filter(Boolean).join(' '),
    ...(priced ? { 'x-credits': priced.access!.credits, 'x-minimum-plan': priced.access!.plan } : {}),
    ...(endpoint.pricedBy ? { 'x-credits-by': endpoint.pricedBy } : {}),
    ...(example ? { 'x-example-request': example } : {}),
    security: securityOf(caller),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: requestBody(endpoint, body, components) } : {}),
    responses: responsesOf(route, components, refusal, shared),
  }
}

const securityOf = (caller: Caller): Operation['security'] => {
  if (caller === 'public') return []
  // Requests without a session are never refused.
  if (caller === 'browser') return [{}, { browser: [] }]
  if (caller === 'agent') return [{}, { api_key: [] }]
  if (caller === 'payer') return [{ self_serve_token: [] }, { api_key: [] }]
  return caller === 'file_reader' ? [{ api_key: [] }, { signed_url: [] }] : [{ [caller]: [] }]
}

const IF_NONE_MATCH: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'ETag of a cached response. The status is 304 if the response is unchanged.',
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

/** Converts a text to the type of the schema. For example, `'5'` becomes 5 for an integer. */
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
