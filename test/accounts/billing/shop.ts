import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import { loadCatalog } from '../../../catalog/index.ts'
import { readEmail } from '../../../src/accounts/index.ts'
import { createLog, readConfig } from '../../../src/core/index.ts'
import { startService } from '../../../src/main.ts'
import { controlOf } from '../../fixtures/provider/client.ts'
import { startProvider } from '../../fixtures/provider/server.ts'
import { dataFolder, NOW, openTestWorkspace, publishRows, SECRETS } from '../../support.ts'
import { AMOUNTS, PRICES, paidEnvironment, STRIPE_KEY, WEBHOOK_SECRET } from './paid.ts'

export { AMOUNTS, PRICES, paidEnvironment, STRIPE_KEY, WEBHOOK_SECRET }

/** Reads that need the plan they are named after. */
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
  /** An API key from before any plan was paid. */
  readonly key: string
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: string
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it asked for
  readonly json: any
}

/** Waits until it holds, asking again: what it asks is often in another process. A failure names what did not come about. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, longestMs = 20_000): Promise<void> {
  for (const end = Date.now() + longestMs; Date.now() < end; await wait(15)) if (await holds()) return
  throw new Error(`It did not come about that ${what}`)
}

/** Publishes the examples of the datasets the tests read. */
export async function stock(dir: string): Promise<void> {
  const catalog = await loadCatalog()
  const workspace = await openTestWorkspace(dir)
  for (const slug of SERVED) await publishRows(workspace, dir, catalog.get(slug)!, catalog.get(slug)!.example)
  workspace.close()
}

/** Lays the provider's prices out and sends its events to a service. */
export async function connect(provider: ReturnType<typeof controlOf>, serviceUrl: string, secret = WEBHOOK_SECRET): Promise<void> {
  for (const plan of ['pro', 'max'] as const) await provider.price({ id: PRICES[plan], amount: AMOUNTS[plan] })
  await provider.webhook({ url: `${serviceUrl}/v2/billing/webhook`, secret, header: 'Payment-Signature' })
}

export interface ShopOptions {
  /** Changes to the service's environment; an empty text unsets a variable. */
  readonly env?: Readonly<Record<string, string>>
  readonly secretKey?: string
  /** A provider that runs already, on the real clock; one of its own on the shop's clock when absent. */
  readonly providerUrl?: string
}

/** A service that listens, with a provider beside it, a clock for both that is moved by hand, and people who buy. */
export async function shop({ env = {}, secretKey = STRIPE_KEY, providerUrl }: ShopOptions = {}) {
  const { dir, remove } = await dataFolder()
  await stock(dir)
  let at = NOW
  const now = providerUrl === undefined ? () => at : () => new Date()
  const own = providerUrl === undefined ? await startProvider({ secretKey, now }) : undefined
  const provider = controlOf(own?.url ?? providerUrl!)
  const lines: string[] = []
  const log = createLog('info', { write: line => void lines.push(line) })
  const config = readConfig({ ...paidEnvironment(dir, provider.url), STRIPE_SECRET_KEY: secretKey, ...env })
  const service = await startService({ config, secrets: SECRETS, log, clock: now })
  await connect(provider, service.url)
  const { db, accounts, sessions, keys } = service.control
  // The service looks at the provider once by itself when it starts; what comes later is the tests' own doing.
  const looked = () => db.prepare('SELECT 1 FROM payment_catch_up').all().length > 0 || lines.join('').includes('what was missed')
  if (config.stripe) await until('the service has looked for what it missed', looked)
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
    ...{ dir, url: service.url, service, provider, lines, answers, now, call, as, rows, settled, signIn },
    /** Lets time pass for the service and the provider. */
    pass(ms: number): void {
      at = new Date(at.getTime() + ms)
    },
    /** Somebody who has just signed in, with a key, on the free plan. */
    member(email = `member${++people}@example.test`): Member {
      const { id } = accounts.ensure(readEmail(email)!, now())
      return { email, accountId: id, token: signIn(id), key: keys.issue(id, 'before', now()).secret }
    },
    checkout: (member: Member, body: unknown = { plan_id: 'pro' }): Promise<Answer> =>
      as(member, 'POST', '/v2/billing/checkout-session', body),
    /** Goes to checkout, pays, and waits until it took effect. @returns the subscription's id */
    async buy(member: Member, plan: 'pro' | 'max' = 'pro'): Promise<string> {
      const { json } = await as(member, 'POST', '/v2/billing/checkout-session', { plan_id: plan })
      const { done } = await provider.complete(json.session_id)
      await settled()
      return done['subscription'] as string
    },
    /** The plan an account has, without asking over HTTP: for waiting, where a caller would run into the limits of the plan. */
    keptPlan: ({ accountId }: Pick<Member, 'accountId'>): string => accounts.byId(accountId, now())!.plan,
    /** The plan a key has, as answers to it state. */
    async planOf({ key }: Pick<Member, 'key'>): Promise<string> {
      const { status, json } = await call('GET', '/v2/account/entitlements', { 'x-api-key': key })
      expect(status).toBe(200)
      return json.plan_id
    },
    /** The amounts that billing previews name for the running month and the two after it: all of a period that began in it. */
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
    /** Log lines of an event, read. */
    logged: (event: string): readonly Record<string, unknown>[] => lines.map(line => JSON.parse(line)).filter(line => line.event === event),
    /** The state file as whoever steals it has it. */
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

/** Status and code of a refusal. */
export const refused = ({ status, json }: Answer): readonly [status: number, code: string] => [status, json.error.error_code]
