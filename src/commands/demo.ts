import type { Command } from 'commander'
import { openDesk } from '../../ingest/publish/desk.ts'
import { publishSamples, samplesMissing } from '../../ingest/publish-samples.ts'
import { taipeiDay } from '../core/clock.ts'
import type { Config } from '../core/config.ts'
import { openLog } from '../core/log.ts'
import { loadSecrets } from '../core/secrets.ts'
import { startService } from '../server.ts'
import { configured } from './configuration.ts'
import { demoFile, ensureDemoKeys } from './demo-keys.ts'
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
      console.log(welcome(service.url, keys, demoFile(config)))
      await untilStopped(service, stop, event => console.error(event))
    })
}

/** Samples where there are none; those that an interrupted start did not come to are made by the next. */
async function makeSamples({ dataDir }: Config): Promise<void> {
  const desk = await openDesk(dataDir)
  const began = performance.now()
  try {
    const missing = await samplesMissing(desk)
    if (missing.length === 0) return
    await publishSamples(desk, missing, taipeiDay(new Date()), (slug, done, total) =>
      console.error(`[${String(done + 1).padStart(2)}/${total}] synthetic sample of ${slug}`),
    )
  } finally {
    desk.close()
  }
  console.error(
    `Sample data made in ${((performance.now() - began) / 1_000).toFixed(1)} s. It is made up: every answer says so in warnings.`,
  )
}

function welcome(url: string, keys: Readonly<Record<'free' | 'pro' | 'max', string>>, file: string): string {
  return `
twmd serves at ${url}. Keys and tokens are in ${file}. Try:

curl -s -H 'X-API-Key: ${keys.free}' '${url}/v2/datasets/securities-firm-master?limit=3'
curl -s -H 'X-API-Key: ${keys.pro}' '${url}/v2/datasets/institutional-positioning?symbol=2330&limit=5'
curl -s -H 'X-API-Key: ${keys.max}' '${url}/v2/datasets/bond-yield-curve?symbol=TWGB&limit=5'

Ctrl-C stops it.`
}
