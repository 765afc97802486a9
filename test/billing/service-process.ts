import { once } from 'node:events'
import { readEmail } from '../../src/accounts/index.ts'
import { openControl } from '../../src/control/index.ts'
import { readConfig } from '../../src/core/index.ts'
import { openState } from '../../src/state/db.ts'
import { type Serving, serving } from '../fixtures/cli/twmd.ts'
import { controlOf } from '../fixtures/provider/client.ts'
import { startProvider } from '../fixtures/provider/server.ts'
import { dataFolder, SECRETS } from '../support.ts'
import { connect, paidEnvironment, STRIPE_KEY } from './shop.ts'

/**
 * A service in a separate process, so that tests can kill it. The payment provider is in this
 * process.
 */
export async function serviceProcess() {
  const running = await startProvider({ secretKey: STRIPE_KEY })
  const provider = controlOf(running.url)
  const home = await dataFolder()
  const env = { ...paidEnvironment(home.dir, provider.url), ...SECRETS }
  let service: Serving

  const start = async (): Promise<void> => {
    service = await serving(home.dir, 'serve', env)
    await connect(provider, service.url)
  }
  const kill = async (): Promise<void> => {
    service.child.kill('SIGKILL')
    if (service.child.exitCode === null && service.child.signalCode === null) await once(service.child, 'exit')
  }
  /** Rows of the state file, read by this process. */
  const rows = <T>(sql: string): readonly T[] => {
    const db = openState(`${home.dir}/state.sqlite`)
    try {
      return db.prepare<[], T>(sql).all()
    } finally {
      db.close()
    }
  }
  await start()
  return {
    provider,
    start,
    kill,
    rows,
    /** The running process. */
    serving: (): Serving => service,
    /** State and attempts of the event that created the subscription. */
    created: () =>
      rows<{ state: string; attempts: number }>("SELECT state, attempts FROM payment_event WHERE type = 'customer.subscription.created'"),
    allApplied: (): boolean => rows("SELECT 1 FROM payment_event WHERE state = 'new'").length === 0,
    /** Creates an account with a session and a key while the service runs. */
    member() {
      const control = openControl(readConfig(env), SECRETS)
      const now = new Date()
      const { id } = control.accounts.ensure(readEmail('buyer@example.test')!, now)
      const made = { token: control.sessions.open(id, now).token, key: control.keys.issue(id, 'before', now).secret }
      control.close()
      return made
    },
    /**
     * Opens a checkout.
     *
     * @returns its session id
     */
    async checkout(token: string, plan_id: 'pro' | 'max'): Promise<string> {
      const headers = { 'x-self-serve-token': token, 'content-type': 'application/json' }
      const body = JSON.stringify({ plan_id })
      const response = await fetch(`${service.url}/v2/billing/checkout-session`, { method: 'POST', headers, body })
      return ((await response.json()) as { session_id: string }).session_id
    },
    /** The plan that the service reports for a key. */
    async planOf(key: string): Promise<string> {
      const response = await fetch(`${service.url}/v2/account/entitlements`, { headers: { 'x-api-key': key } })
      return ((await response.json()) as { plan_id: string }).plan_id
    },
    async close(): Promise<void> {
      await kill()
      await running.close()
      await home.remove()
    },
  }
}

export type ServiceProcess = Awaited<ReturnType<typeof serviceProcess>>
