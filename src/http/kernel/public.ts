import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Gate } from '../../access/index.ts'
import type { Endpoint } from './endpoint.ts'
import { type QueryOf, queryOf } from './query.ts'
import { sendTagged } from './tagged.ts'

/**
 * Declares a GET anyone may call: counted by address, its parameters checked, kept by nobody without asking again, and answered 304 to
 * whoever has what it says already.
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
  app.get(path, { config: { endpoint } }, async (request, reply) => {
    gate.limitAddress(request.ip, 'public')
    const query = queryOf(endpoint, request.query)
    reply.header('cache-control', 'public, no-cache')
    return sendTagged(request, reply, await answer(query, request, reply))
  })
}
