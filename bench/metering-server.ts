import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { readEmail } from '../src/accounts/index.ts'
import { createLog, newId, readConfig } from '../src/core/index.ts'
import { openService } from '../src/main.ts'
import type { CreditReservation } from '../src/usage/index.ts'
import { answer } from './child.ts'
import { clock } from './data.ts'

export interface Metered {
  readonly url: string
  readonly keys: readonly string[]
}

/** Number of accounts. One account is not enough: a plan allows only twelve concurrent requests. */
const CALLERS = 8
const SECRETS = {
  KEY_PEPPER: 'pepper',
  KEY_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
  SERVICE_TOKEN: 'service',
  ADMIN_TOKEN: 'admin',
  DIAGNOSTICS_SECRET: 'secret',
  DIAGNOSTICS_PROBE: 'probe',
  FILE_SIGNING_SECRET: 'signs',
}
const FOLDER = join(import.meta.dirname, '.data', 'metering')

type Ending = (hold: CreditReservation, requestId: string) => Promise<unknown>
let rows = (): number => 0
const processor = (): number => process.cpuUsage().user + process.cpuUsage().system
let authenticate = (_times: number): number => 0

answer({
  async start(bytes: number): Promise<Metered> {
    rmSync(FOLDER, { recursive: true, force: true })
    mkdirSync(FOLDER, { recursive: true })
    const config = readConfig({ DATA_DIR: FOLDER })
    const { control, gate, catalog } = await openService({ config, secrets: SECRETS, log: createLog('silent'), clock })
    const keys = Array.from({ length: CALLERS }, (_, index) => {
      const { id } = control.accounts.ensure(readEmail(`caller${index}@bench.example`)!, clock())
      control.accounts.grantPlan(id, 'max', {}, clock())
      return control.keys.issue(id, 'bench', clock()).secret
    })
    const dataset = catalog.get('securities-firm-master')!
    const body = Buffer.from(JSON.stringify('x'.repeat(bytes - 2)))
    const settle: Ending = (hold, requestId) => hold.settle({ requestId, rows: 50 })
    const ways: Readonly<Record<string, Ending>> = {
      '/metered': settle,
      '/alone': (hold, requestId) => {
        const settled = settle(hold, requestId)
        control.ledger.flush()
        return settled
      },
      '/deferred': async hold => {
        await new Promise(resolve => setImmediate(resolve))
        hold.release()
      },
    }
    const app = Fastify({ logger: false, genReqId: () => newId('req') })
    for (const [path, end] of Object.entries(ways)) {
      app.get(path, async (request: FastifyRequest, reply: FastifyReply) => {
        await end(gate.reserveCredits(gate.authenticate(request.headers['x-api-key'] as string, request.ip), dataset), request.id)
        return reply.type('application/json; charset=utf-8').send(body)
      })
    }
    app.get('/nothing', async (_, reply: FastifyReply) => {
      await new Promise(resolve => setImmediate(resolve))
      return reply.type('application/json; charset=utf-8').send(body)
    })
    rows = () => (control.db.prepare('SELECT count(*) AS n FROM usage_ledger').get() as { n: number }).n
    authenticate = times => {
      const began = processor()
      for (let time = 0; time < times; time++) gate.authenticate(keys[time % keys.length], '127.0.0.1')
      return (processor() - began) / times
    }
    return { url: await app.listen({ host: '127.0.0.1', port: 0 }), keys }
  },
  rows: () => rows(),
  /** Processor time of this process in microseconds. */
  processor: () => processor(),
  authenticate: (times: number) => authenticate(times),
})
