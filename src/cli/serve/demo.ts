import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { PLAN_IDS } from '../../../catalog/index.ts'
import { publishCalendar } from '../../../ingest/calendar/index.ts'
import { openWorkspace } from '../../../ingest/publish/index.ts'
import { publishSamples, sampleDays, samplesMissing } from '../../../ingest/samples/index.ts'
import { buildPortal } from '../../../portal/index.ts'
import { readEmail } from '../../accounts/index.ts'
import { type Config, createLog, loadSecrets, type Secrets } from '../../core/index.ts'
import { type Service, startService } from '../../main.ts'
import { openIntake } from '../publish/intake.ts'
import { print, say } from '../terminal.ts'
import { configured } from '../workspace.ts'
import { stopSignal, untilStopped } from './serve.ts'

export function demoCommand(program: Command): void {
  program
    .command('demo')
    .description('create sample data and keys if missing, then serve')
    .action(async () => {
      const config = configured({ LOG_LEVEL: 'warn', VISITORS: 'max', SQL: 'on', ...process.env })
      const secrets = loadSecrets(config)
      const stop = stopSignal()
      await buildPortal()
      let preparing: string | null = 'checking for missing sample data'
      const service = await startService({
        config,
        secrets,
        log: createLog(config.logLevel),
        preparing: () => preparing,
        intake: openIntake(config),
      })
      const keys = ensureDemoKeys(config, secrets, service)
      let isAnnounced = false
      await makeSamples(config, (slug, done, total) => {
        preparing = `creating sample data: ${done} of ${total} datasets done, now ${slug}`
        const commands = commandsOf(service, keys)
        if (isAnnounced || commands.length < READS.length) return
        isAnnounced = true
        print(`\n${service.url} already answers, while the other samples are created. Try:\n\n${commands.join('\n')}\n`)
      })
      preparing = null
      await service.refresh()
      print(welcome(service, keys, demoFile(config)))
      await untilStopped(service.stop, stop, event => say(event))
    })
}

/** After an interruption, the next start creates the remaining samples. */
async function makeSamples({ dataDir }: Config, began: (slug: string, done: number, total: number) => void): Promise<void> {
  const workspace = await openWorkspace(dataDir)
  const startedAt = performance.now()
  try {
    await publishCalendar(workspace)
    const missing = await samplesMissing(workspace)
    if (missing.length === 0) return
    await publishSamples(workspace, [...missing].sort(firstOf), sampleDays(workspace.catalog, new Date()), (slug, done, total) => {
      began(slug, done, total)
      say(`[${String(done + 1).padStart(2)}/${total}] synthetic sample of ${slug}`)
    })
  } finally {
    workspace.close()
  }
  say(`Sample data created in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s. It is synthetic: each response has a warning.`)
}

const READS = [
  { plan: 'free', slug: 'securities-firm-master', query: 'limit=3' },
  { plan: 'pro', slug: 'institutional-positioning', query: 'symbol=2330&limit=5' },
  { plan: 'max', slug: 'bond-yield-curve', query: 'symbol=TWGB&limit=5' },
] as const

/**
 * Datasets that are published first, so that the printed commands answer early. Positioning is
 * joined with prices.
 */
const FIRST = [...READS.map(({ slug }) => slug), 'daily-prices'] as readonly string[]

const firstOf = (a: string, b: string): number => Number(FIRST.includes(b)) - Number(FIRST.includes(a))

const commandsOf = ({ url, served }: Service, keys: DemoKeys): readonly string[] =>
  READS.filter(({ slug }) => served().includes(slug)).map(
    ({ plan, slug, query }) => `curl -s -H 'X-API-Key: ${keys[plan]}' '${url}/v2/datasets/${slug}?${query}'`,
  )

function welcome(service: Service, keys: DemoKeys, file: string): string {
  const { url, metrics } = service
  const lines = commandsOf(service, keys)
  const nothing = `There is no release of ${READS.map(({ slug }) => slug).join(', ')}. ${url} lists the datasets that have one.`
  return `
twmd serves at ${url}. Keys and tokens are in ${file}.${metrics === null ? '' : ` Metrics are at ${metrics}.`}${lines.length > 0 ? ' Try:' : ''}

${lines.length > 0 ? lines.join('\n') : nothing}

Ctrl-C stops it.`
}

export type DemoKeys = Readonly<Record<'free' | 'pro' | 'max', string>>

/** Path of the file with the demo's address and keys. The file has mode 0600. */
export const demoFile = ({ dataDir }: Config): string => join(dataDir, 'demo.json')

/** Writes the demo file with one key per plan. Active keys of an earlier start stay valid. */
export function ensureDemoKeys(config: Config, secrets: Secrets, { url, control }: Service): DemoKeys {
  const now = new Date()
  const former = readKeys(demoFile(config))
  const keys = Object.fromEntries(
    PLAN_IDS.map(plan => {
      if (former[plan] !== undefined && control.keys.find(former[plan], now)?.status === 'active') return [plan, former[plan]]
      const account = control.accounts.ensure(readEmail(`${plan}@demo.example`)!, now)
      control.accounts.grantPlan(account.id, plan, { note: 'demo' }, now)
      return [plan, control.keys.issue(account.id, 'demo', now).secret]
    }),
  ) as DemoKeys
  const { SERVICE_TOKEN, ADMIN_TOKEN, DIAGNOSTICS_SECRET, DIAGNOSTICS_PROBE } = secrets
  const tokens = {
    service_token: SERVICE_TOKEN,
    admin_token: ADMIN_TOKEN,
    diagnostics_secret: DIAGNOSTICS_SECRET,
    diagnostics_probe: DIAGNOSTICS_PROBE,
  }
  writeFileSync(demoFile(config), `${JSON.stringify({ url, keys, ...tokens }, null, 2)}\n`, { mode: 0o600 })
  return keys
}

function readKeys(file: string): Partial<DemoKeys> {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { keys?: Partial<DemoKeys> }).keys ?? {}
  } catch {
    return {}
  }
}
