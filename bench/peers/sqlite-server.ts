import Database from 'better-sqlite3'
import Fastify from 'fastify'
import { answer } from '../child.ts'

export interface Asked {
  readonly symbol: string
  readonly limit: string
  readonly start_date: string
  readonly end_date: string
}

answer({
  async start(file: string): Promise<string> {
    const database = new Database(file, { readonly: true })
    const newest = database.prepare('SELECT * FROM rows WHERE ticker = ? AND trade_date BETWEEN ? AND ? ORDER BY trade_date DESC LIMIT ?')
    const many = database.prepare('SELECT * FROM rows LIMIT ?')
    const app = Fastify({ logger: false })
    app.get<{ Querystring: Asked }>('/rows', async ({ query }) => ({
      data: newest.all(query.symbol, query.start_date, query.end_date, Number(query.limit)),
    }))
    app.get<{ Querystring: Pick<Asked, 'limit'> }>('/export', async ({ query }) => ({ data: many.all(Number(query.limit)) }))
    return app.listen({ host: '127.0.0.1', port: 0 })
  },
  cpu: () => process.cpuUsage(),
})
