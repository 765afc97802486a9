import { createRequire } from 'node:module'
import { join } from 'node:path'
import Fastify from 'fastify'
import { answer } from '../child.ts'
import { PEERS_FOLDER } from './folders.ts'
import type { Asked } from './sqlite-server.ts'

/** Types of the driver, which is installed only for the benchmark. */
interface Pool {
  query(statement: { readonly name: string; readonly text: string; readonly values: readonly string[] }): Promise<{
    readonly rows: readonly { readonly body: string }[]
  }>
}

/** Encodes the JSON in PostgreSQL, which is faster than encoding in the server. */
const NEWEST = `SELECT json_build_object('data', coalesce(json_agg(newest), '[]'))::text AS body FROM (
  SELECT * FROM rows WHERE ticker = $1 AND trade_date BETWEEN $2 AND $3 ORDER BY trade_date DESC LIMIT $4) newest`

answer({
  /** The pool has enough connections for two cores. */
  async start(port: number): Promise<string> {
    const driver = createRequire(join(PEERS_FOLDER, 'package.json'))('pg') as { readonly Pool: new (options: object) => Pool }
    const pool = new driver.Pool({ host: '127.0.0.1', port, user: 'bench', database: 'postgres', max: 8 })
    const app = Fastify({ logger: false })
    app.get<{ Querystring: Asked }>('/rows', async ({ query }, reply) => {
      const values = [query.symbol, query.start_date, query.end_date, query.limit]
      const { rows } = await pool.query({ name: 'newest', text: NEWEST, values })
      return reply.type('application/json; charset=utf-8').send(rows[0]!.body)
    })
    return app.listen({ host: '127.0.0.1', port: 0 })
  },
})
