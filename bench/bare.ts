import Fastify from 'fastify'
import { answer } from './child.ts'

answer({
  /** Sends a body of that size for any path, and does nothing for it. */
  async start(bytes: number): Promise<string> {
    const body = Buffer.from(JSON.stringify('x'.repeat(bytes - 2)))
    const app = Fastify({ logger: false })
    app.get('/*', (_, reply) => reply.type('application/json; charset=utf-8').send(body))
    return app.listen({ host: '127.0.0.1', port: 0 })
  },
})
