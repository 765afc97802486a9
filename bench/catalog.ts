import { tracingChannel } from 'node:diagnostics_channel'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { openWorkspace } from '../ingest/publish/index.ts'
import { publishSamples, samplesMissing } from '../ingest/samples/index.ts'
import { type Clock, createLog, loadSecrets, readConfig, taipeiDay } from '../src/core/index.ts'
import { openService } from '../src/main.ts'
import { clock } from './data.ts'
import { type Line, median, quantile } from './table.ts'

const PATHS = ['/v2/datasets', '/coverage', '/v2/coverage?symbol=2330', '/v2/datasets/earnings/freshness'] as const
const MINUTE_MS = 60_000
/** The first requests compile the code and are not measured. */
const WARM_UP = 500

/** Measures the handlers of the public catalog until the answer is ready. */
export async function measureCatalog(requests: number): Promise<readonly Line[]> {
  const dir = await mkdtemp(join(tmpdir(), 'twmd-bench-'))
  await fill(dir)
  let minutes = 0
  const services = await Promise.all([
    open(dir, 'cached', clock),
    open(dir, 'rebuilt', () => new Date(clock().getTime() + ++minutes * MINUTE_MS)),
  ])
  try {
    const [cached, rebuilt] = services.map(({ listener }) => timed(listener.app)) as [Timed, Timed]
    const lines: Line[] = []
    for (const path of PATHS) {
      for (const each of [cached, rebuilt]) await each.ask(path, WARM_UP)
      const [ms, first] = [await cached.ask(path, requests), await rebuilt.ask(path, requests)]
      lines.push(
        { name: `handler of ${path}, p50`, measured: median(ms), unit: 'ms', goal: { atMost: 0.2 } },
        { name: '  p99', measured: quantile(ms, 0.99), unit: 'ms' },
        { name: '  first of a minute, p50', measured: median(first), unit: 'ms' },
      )
    }
    return lines
  } finally {
    for (const { close } of services) await close()
    await rm(dir, { recursive: true, force: true })
  }
}

async function fill(dir: string): Promise<void> {
  const workspace = await openWorkspace(dir, clock)
  await publishSamples(
    workspace,
    await samplesMissing(workspace),
    () => taipeiDay(clock()),
    () => {},
  )
  workspace.close()
}

function open(dir: string, name: string, clock: Clock) {
  const config = readConfig({ DATA_DIR: dir, STATE_DB: join(dir, `${name}.sqlite`) })
  // Advances the clock, so that rate limits have no effect.
  let leaps = 0
  return openService({ config, secrets: loadSecrets(config), log: createLog('silent'), clock, monotonicNow: () => (leaps += MINUTE_MS) })
}

interface Timed {
  ask(path: string, times: number): Promise<readonly number[]>
}

const handlers = tracingChannel('fastify.request.handler')

function timed(app: FastifyInstance): Timed {
  return {
    async ask(path, times) {
      let [began, ended] = [0, 0]
      const watch = {
        start: () => {
          began = performance.now()
        },
        end: () => {
          ended = performance.now()
        },
        asyncEnd: () => {
          ended = performance.now()
        },
      }
      handlers.subscribe(watch as never)
      const ms: number[] = []
      for (let round = 0; round < times; round++) {
        const { statusCode } = await app.inject(path)
        if (statusCode !== 200) throw new Error(`${path} was answered ${statusCode}`)
        ms.push(ended - began)
      }
      handlers.unsubscribe(watch as never)
      return ms
    },
  }
}
