import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PLAN_IDS } from '../../catalog/index.ts'
import { readEmail } from '../accounts/index.ts'
import type { Config, Secrets } from '../core/index.ts'
import type { Service } from '../main.ts'

export type DemoKeys = Readonly<Record<'free' | 'pro' | 'max', string>>

/** Where a demonstration keeps its address and credentials, mode 0600. */
export const demoFile = ({ dataDir }: Config): string => join(dataDir, 'demo.json')

/** One key a plan: those of an earlier start while they still work, otherwise new ones. Writes the demo file either way. */
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
