import Fastify from 'fastify'
import { answer } from './child.ts'

answer({
  /**
   * Sends the same body for every path.
   * @param wanted the body, or the size of a body in bytes
   */
  async start(wanted: string | number): Promise<string> {
    const body = Buffer.from(typeof wanted === 'string' ? wanted : JSON.stringify('x'.repeat(wanted - 2)))
    const app = Fastify({ logger: false })
    app.get('/*', (_, reply) => reply.type('application/json; charset=utf-8').send(body))
    return app.listen({ host: '127.0.0.1', port: 0 })
  },
})
