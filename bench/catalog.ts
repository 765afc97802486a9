import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify, { type FastifyInstance } from 'fastify'
import { openWorkspace } from '../ingest/publish/index.ts'
import { publishSamples, samplesMissing } from '../ingest/samples/index.ts'
import { createGate } from '../src/access/index.ts'
import { openControl } from '../src/accounts/index.ts'
import { closedByRule } from '../src/calendar/index.ts'
import { type Clock, loadSecrets, openLog, readConfig, taipeiDay } from '../src/core/index.ts'
import type { CatalogParts } from '../src/http/routes/catalog/catalog.ts'
import { catalogRoutes } from '../src/http/routes/index.ts'
import { openReleases } from '../src/releases/index.ts'
import { clock } from './data.ts'
import { type Line, median, quantile } from './table.ts'

const PATHS = ['/v2/datasets', '/coverage', '/v2/coverage?symbol=2330', '/v2/datasets/earnings/freshness'] as const
const MINUTE_MS = 60_000
/** Requests until the code is compiled. */
const WARM_UP = 500

/**
 * Milliseconds a handler of the public catalog takes, from when it is called to when its body is ready to be sent, over the sample
 * datasets: as it is asked in one minute, and as it is asked first in each.
 */
export async function measureCatalog(requests: number): Promise<readonly Line[]> {
  const dir = await mkdtemp(join(tmpdir(), 'twmd-bench-'))
  const parts = await openParts(dir)
  let minutes = 0
  try {
    const kept = timedApp({ ...parts, clock })
    const anew = timedApp({ ...parts, clock: () => new Date(clock().getTime() + ++minutes * MINUTE_MS) })
    const lines: Line[] = []
    for (const path of PATHS) {
      for (const timed of [kept, anew]) await timed.ask(path, WARM_UP)
      const [ms, first] = [await kept.ask(path, requests), await anew.ask(path, requests)]
      lines.push(
        { name: `handler of ${path}, p50`, measured: median(ms), unit: 'ms', goal: { atMost: 0.2 } },
        { name: '  p99', measured: quantile(ms, 0.99), unit: 'ms' },
        { name: '  first of a minute, p50', measured: median(first), unit: 'ms' },
      )
    }
    return lines
  } finally {
    parts.close()
    await rm(dir, { recursive: true, force: true })
  }
}

async function openParts(dir: string): Promise<CatalogParts & { readonly close: () => void }> {
  const workspace = await openWorkspace(dir, clock)
  await publishSamples(workspace, await samplesMissing(workspace), taipeiDay(clock()), () => {})
  workspace.close()
  const config = readConfig({ DATA_DIR: dir })
  const control = openControl(config, loadSecrets(config))
  const { catalog } = workspace
  const releases = await openReleases({ root: config.releasesDir, catalog, log: openLog('silent') })
  // A clock that leaps a minute at every look, so that the limit by address does not bind.
  let leaps = 0
  const gate = createGate({ keys: control.keys, ledger: control.ledger, clock, steady: () => (leaps += MINUTE_MS) })
  const calendar = { isClosed: closedByRule, release: null, refresh: async () => {} }
  const close = (): void => {
    releases.close()
    control.close()
  }
  return { catalog, releases, gate, calendar, clock, close }
}

interface Timed {
  /** Milliseconds of each request, asked one after another. */
  ask(path: string, times: number): Promise<readonly number[]>
}

function timedApp(parts: CatalogParts & { readonly clock: Clock }): Timed {
  const app: FastifyInstance = Fastify({ logger: false })
  let [began, ended] = [0, 0]
  app.addHook('preHandler', async () => {
    began = performance.now()
  })
  app.addHook('onSend', async () => {
    ended = performance.now()
  })
  catalogRoutes(app, parts)
  return {
    async ask(path, times) {
      const ms: number[] = []
      for (let round = 0; round < times; round++) {
        const { statusCode } = await app.inject(path)
        if (statusCode !== 200) throw new Error(`${path} was answered ${statusCode}`)
        ms.push(ended - began)
      }
      return ms
    },
  }
}
