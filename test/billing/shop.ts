import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, inject } from 'vitest'
import { loadCatalog } from '../../catalog/index.ts'
import { readEmail } from '../../src/accounts/index.ts'
import { createLog, readConfig } from '../../src/core/index.ts'
import { startService } from '../../src/main.ts'
import { controlOf } from '../fixtures/provider/client.ts'
import { startProvider } from '../fixtures/provider/server.ts'
import { dataFolder, NOW, openTestWorkspace, publishRows, SECRETS } from '../support.ts'
import { AMOUNTS, PRICES, paidEnvironment, STRIPE_KEY, WEBHOOK_SECRET } from './paid.ts'

export { AMOUNTS, PRICES, paidEnvironment, STRIPE_KEY, WEBHOOK_SECRET }

/** Paths of reads that require the plan by which they are named. */
export const READS = {
  pro: '/v2/datasets/company-risk-events?symbol=2330',
  max: '/v2/datasets/bond-yield-curve?symbol=TWGB',
} as const
const SERVED = ['company-risk-events', 'bond-yield-curve', 'securities-firm-master']

export const SECOND_MS = 1_000
export const DAY_MS = 86_400_000

export interface Member {
  readonly email: string
  readonly accountId: string
  readonly token: string
  /** An API key that was created before the account paid for a plan. */
  readonly key: string
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: string
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the type of its answer
  readonly json: any
}

/** Polls until a condition is met, often in another process. The error names the condition. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, longestMs = 50_000): Promise<void> {
  for (const end = Date.now() + longestMs; Date.now() < end; await wait(15)) if (await holds()) return
  throw new Error(`Timed out before ${what}`)
}

/**
 * The examples of the datasets that these tests read. Published once per worker and copied for each
 * shop.
 */
let stocked: Promise<string> | undefined
async function publishStock(): Promise<string> {
  const dir = join(inject('runFolder'), `shop-${process.pid}`)
  await mkdir(dir)
  const catalog = await loadCatalog()
  const workspace = await openTestWorkspace(dir)
  for (const slug of SERVED) await publishRows(workspace, dir, catalog.get(slug)!, catalog.get(slug)!.example)
  workspace.close()
  return dir
}

/** Sets the provider's prices and webhook for a service. */
export async function connect(provider: ReturnType<typeof controlOf>, serviceUrl: string, secret = WEBHOOK_SECRET): Promise<void> {
  for (const plan of ['pro', 'max'] as const) await provider.price({ id: PRICES[plan], amount: AMOUNTS[plan] })
  await provider.webhook({ url: `${serviceUrl}/v2/billing/webhook`, secret, header: 'Payment-Signature' })
}

export interface ShopOptions {
  /** Changes of the service's environment. An empty text unsets a variable. */
  readonly env?: Readonly<Record<string, string>>
  readonly secretKey?: string
  /**
   * URL of a running provider with the real clock. Default: a new provider with the shop's clock.
   */
  readonly providerUrl?: string
}

/**
 * A listening service with a payment provider, one manual clock for both, and accounts that buy
 * plans.
 */
export async function shop({ env = {}, secretKey = STRIPE_KEY, providerUrl }: ShopOptions = {}) {
  const { dir, remove } = await dataFolder()
  stocked ??= publishStock()
  await cp(await stocked, dir, { recursive: true })
  let time = NOW
  const now = providerUrl === undefined ? () => time : () => new Date()
  const own = providerUrl === undefined ? await startProvider({ secretKey, now }) : undefined
  const provider = controlOf(own?.url ?? providerUrl!)
  const lines: string[] = []
  const log = createLog('info', { write: line => void lines.push(line) })
  const config = readConfig({ ...paidEnvironment(dir, provider.url), STRIPE_SECRET_KEY: secretKey, ...env })
  const service = await startService({ config, secrets: SECRETS, log, clock: now })
  await connect(provider, service.url)
  const { db, accounts, sessions, keys } = service.control
  // Waits for the check of the provider that the service does once at its start. Later checks would
  // need hours of real time.
  const isCaughtUp = () =>
    db.prepare('SELECT 1 FROM payment_catch_up').all().length > 0 || lines.join('').includes('fetching missed payment events')
  if (config.stripe) await until('the service has checked for missed events', isCaughtUp)
  /** Every answer of the run. */
  const answers: string[] = []

  const call = async (method: string, path: string, headers: Readonly<Record<string, string>> = {}, body?: unknown): Promise<Answer> => {
    const sent = typeof body === 'string' || body === undefined ? body : JSON.stringify(body)
    const type = sent === undefined || 'content-type' in headers ? {} : { 'content-type': 'application/json' }
    const response = await fetch(`${service.url}${path}`, {
      method,
      headers: { ...type, ...headers },
      ...(sent === undefined ? {} : { body: sent }),
    })
    const text = await response.text()
    answers.push(text)
    return { status: response.status, headers: response.headers, body: text, json: JSON.parse(text) }
  }
  const as = ({ token }: Pick<Member, 'token'>, method: string, path: string, body?: unknown): Promise<Answer> =>
    call(method, path, { 'x-self-serve-token': token }, body)
  const rows = <T = Record<string, unknown>>(sql: string, ...values: readonly unknown[]): readonly T[] =>
    db.prepare(sql).all(...values) as T[]
  const settled = (): Promise<void> =>
    until('every stored event is applied', () => rows("SELECT 1 FROM payment_event WHERE state = 'new'").length === 0)
  const signIn = (accountId: string): string => sessions.open(accountId, now()).token
  let people = 0

  return {
    dir,
    url: service.url,
    service,
    provider,
    lines,
    answers,
    now,
    call,
    as,
    rows,
    settled,
    signIn,
    /** Advances the clock of service and provider. */
    pass(ms: number): void {
      time = new Date(time.getTime() + ms)
    },
    /** A new account on the free plan, with a session and a key. */
    member(email = `member${++people}@example.test`): Member {
      const { id } = accounts.ensure(readEmail(email)!, now())
      return { email, accountId: id, token: signIn(id), key: keys.issue(id, 'before', now()).secret }
    },
    checkout: (member: Member, body: unknown = { plan_id: 'pro' }): Promise<Answer> =>
      as(member, 'POST', '/v2/billing/checkout-session', body),
    /**
     * Pays a checkout and waits until its events are applied.
     *
     * @returns the subscription's id
     */
    async buy(member: Member, plan: 'pro' | 'max' = 'pro'): Promise<string> {
      const { json } = await as(member, 'POST', '/v2/billing/checkout-session', { plan_id: plan })
      const { result } = await provider.complete(json.session_id)
      await settled()
      return result['subscription'] as string
    },
    /**
     * The account's plan in the state file. Polling it sends no requests that count against limits.
     */
    keptPlan: ({ accountId }: Pick<Member, 'accountId'>): string => accounts.byId(accountId, now())!.plan,
    /** The plan of a key, according to the entitlements. */
    async planOf({ key }: Pick<Member, 'key'>): Promise<string> {
      const { status, json } = await call('GET', '/v2/account/entitlements', { 'x-api-key': key })
      expect(status).toBe(200)
      return json.plan_id
    },
    /**
     * Sum of the billing previews of this month and the next two. It covers a whole period that
     * began this month.
     */
    async billed({ key }: Pick<Member, 'key'>): Promise<number> {
      const [year, month] = new Date(now().getTime() + 8 * 3_600_000).toISOString().split('-').map(Number) as [number, number]
      let sum = 0
      for (const ahead of [0, 1, 2]) {
        const window = new Date(Date.UTC(year, month - 1 + ahead, 1)).toISOString().slice(0, 7)
        sum += (await call('GET', `/v2/account/billing-preview?window=${window}`, { 'x-api-key': key })).json.total
      }
      return sum
    },
    keyFor: (member: Member, subscription: string): Promise<Answer> =>
      as(member, 'POST', `/v2/billing/subscriptions/${subscription}/api-key`),
    /** Parsed log lines of an event. */
    logged: (event: string): readonly Record<string, unknown>[] => lines.map(line => JSON.parse(line)).filter(line => line.event === event),
    /** The bytes of the state file and its write-ahead log, like a thief would read them. */
    stolen: (): string =>
      ['', '-wal', '-shm']
        .map(ending => join(dir, `state.sqlite${ending}`))
        .filter(existsSync)
        .map(file => readFileSync(file, 'latin1'))
        .join(''),
    async close(): Promise<void> {
      await service.stop()
      await own?.close()
      await remove()
    },
  }
}

export type Shop = Awaited<ReturnType<typeof shop>>

/** Status and code of a refusal. No code for a success. */
export const refused = ({ status, json }: Answer): readonly [status: number, code: string | undefined] => [status, json.error?.error_code]
