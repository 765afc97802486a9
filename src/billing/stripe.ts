import { Agent as PlainAgent } from 'node:http'
import { Agent } from 'node:https'
import Stripe from 'stripe'
import type { PlanId } from '../../catalog/index.ts'
import { DAY_MS, HOUR_MS, type Prices } from '../core/index.ts'
import { eventOf, type ProviderEvent, type ProviderSubscription, type RawEvent, readSubscription } from './shapes.ts'

export interface ProviderOptions {
  readonly secretKey: string
  /** Another address that speaks the provider's protocol; the provider itself when undefined. */
  readonly apiBase: string | undefined
  readonly prices: Prices
}

type PaidPlan = keyof Prices

/** A customer's order of a plan. */
export interface CheckoutOrder {
  readonly accountId: string
  /** The account's customer, which every page it pays on is for. */
  readonly customerId: string
  readonly planId: PaidPlan
  readonly successUrl: string
  readonly cancelUrl: string
  /** The same for every attempt at one order. */
  readonly idempotencyKey: string
}

/** Whose checkouts are meant: those for the account, and those for its customer, who may have had another account before. */
export interface Payer {
  readonly accountId: string
  readonly customerId: string | null
}

/** A checkout as the provider has it now. */
export interface ProviderCheckout {
  readonly id: string
  /** Whether its page can be paid on; once it is complete or expired the page says no more than that. */
  readonly status: 'open' | 'complete' | 'expired'
  /** The page; null once it is over. */
  readonly url: string | null
  readonly expiresAt: Date
  /** What was subscribed to; null until it is complete. */
  readonly subscriptionId: string | null
}

/** Time-out of one call; with both retries a customer waits a quarter of a minute at most. */
const TIMEOUT_MS = 4_000
/** How long a checkout stays open: a day at the provider, and an hour for clocks that differ. */
const CHECKOUT_MS = DAY_MS + HOUR_MS
/** Time-out of a page of events, which is long and which nobody waits for. */
const PAGE_TIMEOUT_MS = 20_000

/** The payment provider. Card data goes from the customer to it and never passes through this service. */
export function openProvider({ secretKey, apiBase, prices }: ProviderOptions) {
  const agent = apiBase?.startsWith('http:') ? new PlainAgent({ keepAlive: true }) : new Agent({ keepAlive: true })
  const stripe = new Stripe(secretKey, {
    ...addressOf(apiBase),
    httpAgent: agent,
    maxNetworkRetries: 2,
    timeout: TIMEOUT_MS,
    telemetry: false,
  })
  return {
    /** True for a key of the provider's live mode; events of the other mode are ignored. */
    live: secretKey.startsWith('sk_live_') || secretKey.startsWith('rk_live_'),
    /** Makes the customer of an account. Asked again within a day, the provider answers the same one. @returns its id */
    customer: async (accountId: string, email: string): Promise<string> => {
      const made = { email, metadata: { account_id: accountId } }
      return (await stripe.customers.create(made, { idempotencyKey: `customer-${accountId}` })).id
    },
    /** The checkout of an order: open, or complete where the order was made before. One that expired is replaced by another. */
    checkout: (order: CheckoutOrder): Promise<ProviderCheckout> => openCheckout(stripe, order, prices[order.planId][0]),
    /** A checkout of ours. @throws when the provider does not know it */
    checkoutNow: async (id: string): Promise<ProviderCheckout> => readCheckout(await stripe.checkout.sessions.retrieve(id)),
    /**
     * Expires what an account could still pay at checkout; each call is made once, and no page of sessions is asked for after the time-out
     * of one call. @param now which sessions are open is counted from. @throws when the provider does not answer, or one cannot be expired
     */
    expireCheckouts: (payer: Payer, now: Date): Promise<void> => expireCheckouts(stripe, payer, now),
    async portal(customerId: string, returnUrl: string): Promise<string> {
      return (await stripe.billingPortal.sessions.create({ customer: customerId, return_url: returnUrl })).url
    },
    /** Undefined when the provider does not know the subscription. */
    subscription: (id: string): Promise<ProviderSubscription | undefined> => subscriptionAt(stripe, id),
    /** Events since a moment, oldest first. @param since seconds since 1970 */
    events: (since: number, types: readonly string[]): Promise<readonly ProviderEvent[]> => eventsSince(stripe, since, types),
    /** The plan of a price that is or was sold; free for any other price. */
    planOf: (priceId: string | null): PlanId =>
      (Object.keys(prices) as readonly PaidPlan[]).find(plan => priceId !== null && prices[plan].includes(priceId)) ?? 'free',
    /** True for a failure of the provider or of the connection to it. */
    isFault: (error: unknown): error is Error => error instanceof Stripe.errors.StripeError,
    /** Breaks off every call in progress and refuses further ones. */
    close: (): void => closeAgent(agent),
  }
}

export type Provider = ReturnType<typeof openProvider>

/** Closes every connection, and has every further one refused. */
function closeAgent(agent: Agent | PlainAgent): void {
  agent.createConnection = () => {
    throw new Error('The payment provider is closed.')
  }
  agent.destroy()
}

/** An address in the form the provider's client takes; empty for the provider itself. */
function addressOf(apiBase: string | undefined) {
  if (apiBase === undefined) return {}
  const { protocol, hostname, port } = new URL(apiBase)
  return { protocol: protocol.slice(0, -1) as 'http' | 'https', host: hostname, port: port || (protocol === 'https:' ? '443' : '80') }
}

/** A subscription at a price, which names its account wherever it can be read again. */
const sessionOf = (
  { accountId, customerId, successUrl, cancelUrl }: CheckoutOrder,
  price: string,
): Stripe.Checkout.SessionCreateParams => ({
  mode: 'subscription',
  line_items: [{ price, quantity: 1 }],
  client_reference_id: accountId,
  metadata: { account_id: accountId },
  subscription_data: { metadata: { account_id: accountId } },
  success_url: successUrl,
  cancel_url: cancelUrl,
  customer: customerId,
})

const OVER = ['complete', 'expired'] as const

const readCheckout = ({ id, status, url, expires_at: end, subscription }: Stripe.Checkout.Session): ProviderCheckout => ({
  id,
  status: OVER.find(over => over === status) ?? 'open',
  url,
  expiresAt: new Date(end * 1_000),
  subscriptionId: typeof subscription === 'string' ? subscription : (subscription?.id ?? null),
})

async function openCheckout(
  stripe: Stripe,
  order: CheckoutOrder,
  price: string,
  idempotencyKey = order.idempotencyKey,
): Promise<ProviderCheckout> {
  const made = await stripe.checkout.sessions.create(sessionOf(order, price), { idempotencyKey })
  // The provider repeats its answer under a key, whatever became of the session since.
  const isRepeated = made.lastResponse.headers['idempotent-replayed'] === 'true'
  const found = readCheckout(isRepeated ? await stripe.checkout.sessions.retrieve(made.id) : made)
  if (found.status !== 'expired') return found
  return openCheckout(stripe, order, price, `${order.idempotencyKey}-after-${found.id}`)
}

async function expireCheckouts(stripe: Stripe, { accountId, customerId }: Payer, now: Date): Promise<void> {
  const once = { timeout: TIMEOUT_MS, maxNetworkRetries: 0 }
  const created = { gte: Math.floor((now.getTime() - CHECKOUT_MS) / 1_000) }
  const latest = performance.now() + TIMEOUT_MS
  const found = new Set<string>()
  // The provider lists by customer only, and earlier versions opened sessions without one.
  for (const one of customerId === null ? [{}] : [{ customer: customerId }, {}])
    for await (const session of stripe.checkout.sessions.list({ ...one, status: 'open', created, limit: 100 }, once)) {
      if (session.client_reference_id === accountId || 'customer' in one) found.add(session.id)
      if (performance.now() > latest) break
    }
  const expiring = [...found].map(id => stripe.checkout.sessions.expire(id, {}, once))
  const failed = (await Promise.allSettled(expiring)).find(result => result.status === 'rejected')
  if (failed) throw failed.reason
}

async function subscriptionAt(stripe: Stripe, id: string): Promise<ProviderSubscription | undefined> {
  try {
    return readSubscription(await stripe.subscriptions.retrieve(id))
  } catch (error) {
    // Any other 404 is a wrong address and says nothing about the subscription.
    if (error instanceof Stripe.errors.StripeError && error.code === 'resource_missing') return undefined
    throw error
  }
}

async function eventsSince(stripe: Stripe, since: number, types: readonly string[]): Promise<readonly ProviderEvent[]> {
  const found = await stripe.events
    .list({ created: { gte: since }, types: [...types], limit: 100 }, { timeout: PAGE_TIMEOUT_MS })
    .autoPagingToArray({ limit: 10_000 })
  return found
    .map(eventOf)
    .filter(event => event !== undefined)
    .reverse()
}

/**
 * The event in a body that was signed with one of the secrets.
 *
 * @param tolerance seconds between the signature's time and now, either way: the SDK alone accepts any time in the future
 * @returns undefined for anything else
 */
export function verifyEvent(
  body: Buffer,
  signature: string,
  secrets: readonly string[],
  now: Date,
  tolerance = 300,
): ProviderEvent | undefined {
  if (!(Math.abs(now.getTime() / 1_000 - stampOf(signature)) <= tolerance)) return undefined
  // While secrets are rotated any of them may match.
  if (!secrets.some(secret => matches(body, signature, secret))) return undefined
  try {
    return eventOf(JSON.parse(body.toString('utf8')) as RawEvent)
  } catch {
    return undefined
  }
}

/** Seconds since 1970; NaN when the signature names no time, or more than one: the SDK would read the last of them. */
function stampOf(signature: string): number {
  const [stamp, ...more] = signature.split(',').filter(part => part.startsWith('t='))
  return more.length > 0 ? Number.NaN : Number(/^t=(\d{1,12})$/.exec(stamp ?? '')?.[1])
}

function matches(body: Buffer, signature: string, secret: string): boolean {
  try {
    // A tolerance of 0 turns off the SDK's own check of age, which looks one way only.
    return Stripe.webhooks.signature!.verifyHeader(body, signature, secret, 0)
  } catch {
    return false
  }
}
