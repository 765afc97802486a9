import type { Command } from 'commander'
import { openWorkspace } from '../../ingest/publish/index.ts'
import { publishSamples, samplesMissing } from '../../ingest/samples/index.ts'
import { type Config, loadSecrets, openLog, taipeiDay } from '../core/index.ts'
import { type Service, startService } from '../main.ts'
import { configured } from './configuration.ts'
import { type DemoKeys, demoFile, ensureDemoKeys } from './demo-keys.ts'
import { stopSignal, untilStopped } from './serve.ts'

/** `twmd demo`: everything there is to try, on one machine, without a network. */
export function demoCommand(program: Command): void {
  program
    .command('demo')
    .description('make synthetic sample data and keys where there are none, then serve')
    .action(async () => {
      const config = configured({ LOG_LEVEL: 'warn', ...process.env })
      const secrets = loadSecrets(config)
      const stop = stopSignal()
      const service = await startService({ config, secrets, log: openLog(config.logLevel) })
      await makeSamples(config)
      await service.refresh()
      const keys = ensureDemoKeys(config, secrets, service)
      console.log(welcome(service, keys, demoFile(config)))
      await untilStopped(service, stop, event => console.error(event))
    })
}

/** Samples where there are none; those that an interrupted start did not come to are made by the next. */
async function makeSamples({ dataDir }: Config): Promise<void> {
  const workspace = await openWorkspace(dataDir)
  const began = performance.now()
  try {
    const missing = await samplesMissing(workspace)
    if (missing.length === 0) return
    await publishSamples(workspace, missing, taipeiDay(new Date()), (slug, done, total) =>
      console.error(`[${String(done + 1).padStart(2)}/${total}] synthetic sample of ${slug}`),
    )
  } finally {
    workspace.close()
  }
  console.error(
    `Sample data made in ${((performance.now() - began) / 1_000).toFixed(1)} s. It is made up: every answer says so in warnings.`,
  )
}

/** Reads to try, each with the plan whose key may make it. */
const READS = [
  { plan: 'free', slug: 'securities-firm-master', query: 'limit=3' },
  { plan: 'pro', slug: 'institutional-positioning', query: 'symbol=2330&limit=5' },
  { plan: 'max', slug: 'bond-yield-curve', query: 'symbol=TWGB&limit=5' },
] as const

/** Where it serves, and a line to paste for each read whose dataset has rows here. */
function welcome({ url, served }: Service, keys: DemoKeys, file: string): string {
  const here = served()
  const lines = READS.filter(({ slug }) => here.includes(slug)).map(
    ({ plan, slug, query }) => `curl -s -H 'X-API-Key: ${keys[plan]}' '${url}/v2/datasets/${slug}?${query}'`,
  )
  const nothing = `None of ${READS.map(({ slug }) => slug).join(', ')} has a release here; ${url} shows which datasets do.`
  return `
twmd serves at ${url}. Keys and tokens are in ${file}.${lines.length > 0 ? ' Try:' : ''}

${lines.length > 0 ? lines.join('\n') : nothing}

Ctrl-C stops it.`
}
