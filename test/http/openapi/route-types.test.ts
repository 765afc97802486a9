import { expect, it } from 'vitest'
import { z } from 'zod'
import { type Endpoint, encoded, route } from '../../../src/http/kernel/index.ts'

const COMMON = { summary: 'A count', summaryZh: '數量', group: 'service', answer: z.object({ count: z.int() }) } as const
const OF_ANYONE = { ...COMMON, caller: 'public' } as const satisfies Endpoint
const OF_KEYS = { ...COMMON, caller: 'api_key', query: z.object({ limit: z.string() }) } as const satisfies Endpoint
const OF_VISITORS = { ...COMMON, caller: 'self_serve_token' } as const satisfies Endpoint

/** `npm run types` fails if a line below `@ts-expect-error` compiles. */
it('a route compiles if its handler uses only what the route declares', () => {
  const routes = [
    route('GET /a', OF_KEYS, ({ caller, query }) => ({ count: caller.limits.rowLimit + query.limit.length })),
    route('GET /b', OF_VISITORS, ({ caller }) => ({ count: caller.account.id.length })),
    route('GET /c', OF_ANYONE, () => encoded('{"count":1}')),
  ]
  expect(routes.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /a', 'GET /b', 'GET /c'])
})

it('a route does not compile if its handler uses a kind of caller that the route does not declare', () => {
  // @ts-expect-error a public route has no grant
  route('GET /a', OF_ANYONE, ({ caller }) => ({ count: caller.limits.rowLimit }))
  // @ts-expect-error an API key has no session
  route('GET /a', OF_KEYS, ({ caller }) => ({ count: caller.account.id.length }))
  // @ts-expect-error a declaration must state its access
  const undeclared: Endpoint = COMMON
  expect(undeclared).toBe(COMMON)
})

it('a route does not compile if its answer does not match the declared schema', () => {
  // @ts-expect-error count is a number
  route('GET /a', OF_KEYS, ({ query }) => ({ count: query.limit }))
  // @ts-expect-error count is missing
  route('GET /a', OF_KEYS, () => ({}))
  // @ts-expect-error a text is not a JSON body
  route('GET /a', OF_KEYS, () => 'count')
  expect(OF_KEYS.answer.safeParse({}).success).toBe(false)
})

it('a route does not compile if its handler reads an undeclared parameter', () => {
  // @ts-expect-error no parameter offset
  route('GET /a', OF_KEYS, ({ query }) => ({ count: query.offset }))
  // @ts-expect-error no parameters at all
  route('GET /a', OF_ANYONE, ({ query }) => ({ count: query.limit }))
  expect(Object.keys(OF_KEYS.query.shape)).toEqual(['limit'])
})
