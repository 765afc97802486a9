import { z } from 'zod'
import { Refusal, type RefusalCode } from '../../core/index.ts'
import type { Endpoint } from '../kernel/index.ts'
import type { Operation, Response } from './document.ts'
import { type Components, type JsonSchema, jsonSchema, sampleOf } from './json-schema.ts'
import { refusalsOf } from './refusals.ts'
import type { DescribedRoute } from './routes.ts'
import { hasEtag, headersOf } from './vocabulary.ts'

/** Schemas of the body of every refusal, in each of its shapes. */
export interface RefusalSchemas {
  readonly plain: JsonSchema
  readonly problem: JsonSchema
}

/** What may come of a request to a route, by status. */
export const responsesOf = (route: DescribedRoute, components: Components, schemas: RefusalSchemas): Operation['responses'] => ({
  ...answers(route, components),
  ...refusals(route.endpoint, schemas),
})

/** What comes of a request that is not refused. */
function answers(route: DescribedRoute, components: Components): Operation['responses'] {
  const { endpoint } = route
  if (endpoint.answer instanceof z.ZodNever) return {}
  const unready = endpoint.unready && jsonSchema(endpoint.unready, components)
  const json = (schema: JsonSchema) => ({ 'application/json': { schema, example: sampleOf(schema, components) } })
  return {
    200: answer(route, components),
    ...(hasEtag(route) ? { 304: { description: UNCHANGED, headers: referred(headersOf(route)) } } : {}),
    ...(unready ? { 503: { description: 'Not ready; checks name what is not.', content: json(unready) } } : {}),
  }
}

const UNCHANGED = 'The answer is the one If-None-Match names; nothing is sent, nothing charged.'

function answer(route: DescribedRoute, components: Components): Response {
  const { answer, priced } = route.endpoint
  const credits = priced?.access?.credits
  const headers = referred(headersOf(route))
  if (typeof answer === 'string') return { description: 'The document.', headers, content: { [answer]: { schema: { type: 'string' } } } }
  const schema = jsonSchema(answer, components)
  const description = credits === undefined ? 'The answer.' : `The answer; it costs ${credits} ${credits === 1 ? 'credit' : 'credits'}.`
  return { description, headers, content: { 'application/json': { schema, example: sampleOf(schema, components) } } }
}

/** Headers of refusals with that status: who may call, what the path takes, when one may try again. */
const OF_STATUS: Readonly<Record<number, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
}

/** One response for each status, with an example for each code that has it. */
function refusals(endpoint: Endpoint, schemas: RefusalSchemas): Operation['responses'] {
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
      return [status, { description: codes.join(', '), headers, content }]
    }),
  )
}

const referred = (names: readonly string[]): JsonSchema =>
  Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))
