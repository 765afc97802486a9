import type { FastifyInstance } from 'fastify'
import type { Endpoint } from '../../../src/http/kernel/index.ts'
import { checker } from '../openapi/schema.ts'

/** Results of watching a service's answers. */
export interface Watched {
  /** Declarations by route, with names such as `GET /v2/account/entitlements`. */
  readonly declared: ReadonlyMap<string, Endpoint>
  /** Number of 200 answers by route. */
  readonly answered: ReadonlyMap<string, number>
  /** Differences between an answer and its declaration, each with its route. */
  readonly mistakes: readonly string[]
}

/**
 * Checks every later 200 answer against the declaration of its route. Unknown keys are errors. Must
 * be called before the service's first request.
 */
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
