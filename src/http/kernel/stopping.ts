import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { Refusal } from '../../core/index.ts'

/**
 * Once the service stops, refuses what comes after, probes excepted, and knows when what ran before has been sent to its last byte. The
 * server's own close would cut off answers that still lie in a socket, and wait without end for a request that is never finished.
 *
 * @returns a function that resolves once every answer that has begun is over
 */
export function stopGently(app: FastifyInstance, draining: () => boolean): () => Promise<void> {
  const answers = new Set<ServerResponse>()
  app.addHook('onRequest', async (request, reply) => {
    answers.add(reply.raw)
    reply.raw.once('close', () => answers.delete(reply.raw))
    if (!draining()) return
    reply.header('connection', 'close')
    if (!/^\/(healthz|health|readyz)(\?|$)/.test(request.url)) throw new Refusal('draining', { retry_after: 1 })
  })
  return async () => {
    await Promise.all([...answers].map(answer => once(answer, 'close')))
  }
}
