import { z } from 'zod'
import { FORMATS } from '../../../catalog/index.ts'
import { Refusal, type RefusalCode } from '../../core/index.ts'
import { ENCODERS } from '../../formats/index.ts'
import { DRY_RUN_TYPE, type Endpoint } from '../kernel/index.ts'
import type { Operation, Response } from './document.ts'
import { type Components, type JsonSchema, jsonSchema, sampleOf } from './json-schema.ts'
import { refusalsOf } from './refusals.ts'
import type { DescribedRoute } from './routes.ts'
import { hasEtag, headersOf } from './vocabulary.ts'

export interface RefusalSchemas {
  readonly plain: JsonSchema
  readonly problem: JsonSchema
}

/** Filled while operations are described. */
export type SharedResponses = Map<string, Response>

/** By status. */
export const responsesOf = (
  route: DescribedRoute,
  components: Components,
  schemas: RefusalSchemas,
  shared: SharedResponses,
): Operation['responses'] => ({
  ...answers(route, components, shared),
  ...refusals(route.endpoint, schemas, shared),
})

function answers(route: DescribedRoute, components: Components, shared: SharedResponses): Operation['responses'] {
  const { endpoint } = route
  if (endpoint.answer instanceof z.ZodNever) return {}
  const unready = endpoint.unready && jsonSchema(endpoint.unready, components)
  const json = (schema: JsonSchema) => ({ 'application/json': { schema, example: sampleOf(schema, components) } })
  return {
    200: answer(route, components),
    ...(endpoint.ranges ? { 206: { ...answer(route, components), description: 'Requested range of the file.' } } : {}),
    ...(hasEtag(route) ? { 304: keep(shared, 'unchanged', 304, { description: UNCHANGED, headers: referred(headersOf(route)) }) } : {}),
    ...(unready ? { 503: { description: 'The service is not ready. `checks` lists the failed checks.', content: json(unready) } } : {}),
  }
}

const UNCHANGED = 'The response is unchanged, because its ETag is in `If-None-Match`. The response has no body and is free of charge.'

function answer(route: DescribedRoute, components: Components): Response {
  const { answer, priced } = route.endpoint
  const credits = priced?.access?.credits
  const headers = referred(headersOf(route))
  if (typeof answer === 'string')
    return { description: 'Requested document.', headers, content: { [answer]: { schema: { type: 'string' } } } }
  const schema = jsonSchema(answer, components)
  const description = credits === undefined ? 'Response.' : `Response. Costs ${credits} ${credits === 1 ? 'credit' : 'credits'}.`
  const { formats, dryRun } = route.endpoint
  const others = {
    ...(formats ? OTHER_FORMATS : {}),
    ...(dryRun ? { [DRY_RUN_TYPE]: { schema: jsonSchema(dryRun, components) } } : {}),
  }
  return { description, headers, content: { 'application/json': { schema, example: sampleOf(schema, components) }, ...others } }
}

/** Formats other than JSON contain only rows. */
const OTHER_FORMATS = Object.fromEntries(
  FORMATS.filter(format => format !== 'json').map(format => [ENCODERS[format].mediaType.split(';')[0]!, { schema: {} }]),
)

/** Additional headers of refusals, by status. */
const OF_STATUS: Readonly<Record<number, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  416: ['Content-Range'],
  429: ['Retry-After'],
  503: ['Retry-After'],
}

/** Returns one response per status, with an example for each code. */
function refusals(endpoint: Endpoint, schemas: RefusalSchemas, shared: SharedResponses): Operation['responses'] {
  const byStatus = new Map<number, RefusalCode[]>()
  for (const code of refusalsOf(endpoint)) {
    const { status } = new Refusal(code)
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const examples = Object.fromEntries(codes.map(code => [code, { $ref: `#/components/examples/${code}` }]))
      const headers = referred(['X-Request-Id', 'Content-Language', 'Vary', ...(OF_STATUS[status] ?? [])])
      const content = { 'application/json': { schema: schemas.plain, examples }, 'application/problem+json': { schema: schemas.problem } }
      return [status, keep(shared, 'refused', status, { description: codes.join(', '), headers, content })]
    }),
  )
}

/**
 * Adds a response if no equal response exists.
 * @returns a reference to the response
 */
function keep(shared: SharedResponses, what: 'unchanged' | 'refused', status: number, response: Response): { readonly $ref: string } {
  const text = JSON.stringify(response)
  const [known] = [...shared].find(([, other]) => JSON.stringify(other) === text) ?? []
  const alike = [...shared.keys()].filter(name => name.startsWith(`${what}_${status}_`)).length
  const name = known ?? `${what}_${status}_${alike + 1}`
  shared.set(name, response)
  return { $ref: `#/components/responses/${name}` }
}

const referred = (names: readonly string[]): JsonSchema =>
  Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))
