import Fastify from 'fastify'
import { answer } from './child.ts'

answer({
  /**
   * Serves the same body for any path: the given text, or a text of the given size. Does no other
   * work.
   */
  async start(wanted: string | number): Promise<string> {
    const body = Buffer.from(typeof wanted === 'string' ? wanted : JSON.stringify('x'.repeat(wanted - 2)))
    const app = Fastify({ logger: false })
    app.get('/*', (_, reply) => reply.type('application/json; charset=utf-8').send(body))
    return app.listen({ host: '127.0.0.1', port: 0 })
  },
})
