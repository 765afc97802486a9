import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Gate } from '../../gate.ts'
import type { Endpoint } from './endpoint.ts'
import { readQuery } from './query.ts'

const NOTHING = z.object({})

/** The parameters an endpoint declares, as read. */
export type QueryOf<E extends Endpoint> = E extends { readonly query: infer Q extends z.ZodObject }
  ? z.output<Q>
  : Readonly<Record<never, never>>

/**
 * Declares a GET anyone may call: counted by address, its parameters checked, kept by nobody without asking again.
 *
 * @param path in the router's form, for example `/v2/coverage/:dataset`
 */
export function publicGet<E extends Endpoint>(
  app: FastifyInstance,
  gate: Gate,
  path: string,
  endpoint: E,
  answer: (query: QueryOf<E>, request: FastifyRequest, reply: FastifyReply) => unknown,
): void {
  app.get(path, { config: { endpoint } }, (request, reply) => {
    gate.passAddress(request.ip, 'public')
    const query = readQuery(endpoint.query ?? NOTHING, request.query)
    reply.header('cache-control', 'public, no-cache')
    return answer(query as QueryOf<E>, request, reply)
  })
}
