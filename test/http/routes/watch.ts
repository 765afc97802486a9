import type { FastifyInstance } from 'fastify'
import type { Endpoint } from '../../../src/http/kernel/index.ts'
import { checker } from '../openapi/schema.ts'

/** What was seen of the routes of a service. */
export interface Watched {
  /** Route, as `GET /v2/account/entitlements`, to what it declares. */
  readonly declared: ReadonlyMap<string, Endpoint>
  /** Routes that answered 200, each with how often. */
  readonly answered: ReadonlyMap<string, number>
  /** Each the route, then what its answer has and the declaration does not, or the other way round. */
  readonly mistakes: readonly string[]
}

/** Holds every 200 from here on to what its route declares, unknown keys forbidden. Before the service's first request. */
export function watchAnswers(app: FastifyInstance): Watched {
  const declared = new Map<string, Endpoint>()
  const answered = new Map<string, number>()
  const mistakes: string[] = []
  const checks = new Map<string, ReturnType<typeof checker>>()
  const checkOf = (route: string, { answer }: Endpoint) => {
    if (typeof answer === 'string') return () => []
    if (!checks.has(route)) checks.set(route, checker(answer))
    return checks.get(route)!
  }
  app.addHook('onSend', async ({ method, routeOptions }, { statusCode }, payload) => {
    const { config, url } = routeOptions
    if (!config.endpoint) return payload
    const route = `${method} ${url}`
    declared.set(route, config.endpoint)
    if (statusCode !== 200) return payload
    answered.set(route, (answered.get(route) ?? 0) + 1)
    for (const mistake of checkOf(route, config.endpoint)(JSON.parse(String(payload)))) mistakes.push(`${route} ${mistake}`)
    return payload
  })
  return { declared, answered, mistakes }
}
