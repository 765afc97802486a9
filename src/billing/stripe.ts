import { Agent as PlainAgent } from 'node:http'
import { Agent } from 'node:https'
import Stripe from 'stripe'
import type { PlanId } from '../../catalog/index.ts'
import { DAY_MS, HOUR_MS, type Prices } from '../core/index.ts'
import { type ProviderEvent, type ProviderSubscription, parseEvent, type RawEvent, readSubscription } from './provider-data.ts'

export interface ProviderOptions {
  readonly secretKey: string
  /** URL of a service that is compatible with Stripe. Undefined for Stripe itself. */
  readonly apiBase: string | undefined
  readonly prices: Prices
}

type PaidPlan = keyof Prices

export interface CheckoutOrder {
  readonly accountId: string
  readonly customerId: string
  readonly planId: PaidPlan
  readonly successUrl: string
  readonly cancelUrl: string
  /** All attempts to place an order use the same key. */
  readonly idempotencyKey: string
}

export interface Payer {
  readonly accountId: string
  readonly customerId: string | null
}

export interface ProviderCheckout {
  readonly id: string
  /** Only an `open` checkout can be paid. */
  readonly status: 'open' | 'complete' | 'expired'
  /** Null if the checkout is not open. */
  readonly url: string | null
  readonly expiresAt: Date
  /** Null until the checkout is complete. */
  readonly subscriptionId: string | null
}

/** Timeout of one call. With two retries, a customer waits at most about 15 s. */
const TIMEOUT_MS = 4_000
/** Checkouts expire after a day. The hour allows for clock differences. */
const CHECKOUT_LIFETIME_MS = DAY_MS + HOUR_MS
/** Longer than other timeouts, because pages of events are large. */
const PAGE_TIMEOUT_MS = 20_000

/** Card data goes directly to the provider and never passes through this service. */
export function openProvider({ secretKey, apiBase, prices }: ProviderOptions) {
  const agent = apiBase?.startsWith('http:') ? new PlainAgent({ keepAlive: true }) : new Agent({ keepAlive: true })
  const stripe = new Stripe(secretKey, {
    ...endpointOf(apiBase),
    httpAgent: agent,
    maxNetworkRetries: 2,
    timeout: TIMEOUT_MS,
    telemetry: false,
  })
  return {
    live: secretKey.startsWith('sk_live_') || secretKey.startsWith('rk_live_'),
    /**
     * Idempotent within a day.
     * @returns the customer id
     */
    createCustomer: async (accountId: string, email: string): Promise<string> => {
      const params = { email, metadata: { account_id: accountId } }
      return (await stripe.customers.create(params, { idempotencyKey: `customer-${accountId}` })).id
    },
    /** Returns the existing checkout for a repeated order. Replaces an expired checkout. */
    openCheckout: (order: CheckoutOrder): Promise<ProviderCheckout> => openCheckout(stripe, order, prices[order.planId][0]),
    /** @throws Error if the provider does not know the checkout */
    getCheckout: async (id: string): Promise<ProviderCheckout> => parseCheckout(await stripe.checkout.sessions.retrieve(id)),
    /**
     * Expires all open checkouts of an account, without retries.
     *
     * @param now the current time. Checkouts older than `CHECKOUT_LIFETIME_MS` cannot be open
     * @throws Error if the provider fails
     */
    expireCheckouts: (payer: Payer, now: Date): Promise<void> => expireCheckouts(stripe, payer, now),
    async portal(customerId: string, returnUrl: string): Promise<string> {
      return (await stripe.billingPortal.sessions.create({ customer: customerId, return_url: returnUrl })).url
    },
    getSubscription: (id: string): Promise<ProviderSubscription | undefined> => subscriptionAt(stripe, id),
    /**
     * Oldest first.
     * @param since start time, in seconds since 1970
     */
    listEvents: (since: number, types: readonly string[]): Promise<readonly ProviderEvent[]> => eventsSince(stripe, since, types),
    /** Returns `free` for an unknown price. Also accepts former prices. */
    planOf: (priceId: string | null): PlanId =>
      (Object.keys(prices) as readonly PaidPlan[]).find(plan => priceId !== null && prices[plan].includes(priceId)) ?? 'free',
    isFault: (error: unknown): error is Error => error instanceof Stripe.errors.StripeError,
    /** Aborts running calls and refuses further calls. */
    close: (): void => closeAgent(agent),
  }
}

export type Provider = ReturnType<typeof openProvider>

function closeAgent(agent: Agent | PlainAgent): void {
  agent.createConnection = () => {
    throw new Error('The payment provider is closed.')
  }
  agent.destroy()
}

function endpointOf(apiBase: string | undefined) {
  if (apiBase === undefined) return {}
  const { protocol, hostname, port } = new URL(apiBase)
  return { protocol: protocol.slice(0, -1) as 'http' | 'https', host: hostname, port: port || (protocol === 'https:' ? '443' : '80') }
}

const sessionParams = (
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

const CLOSED_STATUSES = ['complete', 'expired'] as const

const parseCheckout = ({ id, status, url, expires_at: expiresAt, subscription }: Stripe.Checkout.Session): ProviderCheckout => ({
  id,
  status: CLOSED_STATUSES.find(closed => closed === status) ?? 'open',
  url,
  expiresAt: new Date(expiresAt * 1_000),
  subscriptionId: typeof subscription === 'string' ? subscription : (subscription?.id ?? null),
})

async function openCheckout(
  stripe: Stripe,
  order: CheckoutOrder,
  price: string,
  idempotencyKey = order.idempotencyKey,
): Promise<ProviderCheckout> {
  const session = await stripe.checkout.sessions.create(sessionParams(order, price), { idempotencyKey })
  // A repeated idempotency key returns the original response, not the current state.
  const isRepeated = session.lastResponse.headers['idempotent-replayed'] === 'true'
  const checkout = parseCheckout(isRepeated ? await stripe.checkout.sessions.retrieve(session.id) : session)
  if (checkout.status !== 'expired') return checkout
  return openCheckout(stripe, order, price, `${order.idempotencyKey}-after-${checkout.id}`)
}

async function expireCheckouts(stripe: Stripe, { accountId, customerId }: Payer, now: Date): Promise<void> {
  const noRetry = { timeout: TIMEOUT_MS, maxNetworkRetries: 0 }
  const created = { gte: Math.floor((now.getTime() - CHECKOUT_LIFETIME_MS) / 1_000) }
  const deadline = performance.now() + TIMEOUT_MS
  const ids = new Set<string>()
  // Lists the sessions of all customers too: earlier versions opened sessions without a customer.
  for (const filter of customerId === null ? [{}] : [{ customer: customerId }, {}])
    for await (const session of stripe.checkout.sessions.list({ ...filter, status: 'open', created, limit: 100 }, noRetry)) {
      if (session.client_reference_id === accountId || 'customer' in filter) ids.add(session.id)
      if (performance.now() > deadline) break
    }
  const expiring = [...ids].map(id => stripe.checkout.sessions.expire(id, {}, noRetry))
  const failure = (await Promise.allSettled(expiring)).find(result => result.status === 'rejected')
  if (failure) throw failure.reason
}

async function subscriptionAt(stripe: Stripe, id: string): Promise<ProviderSubscription | undefined> {
  try {
    return readSubscription(await stripe.subscriptions.retrieve(id))
  } catch (error) {
    // Any other 404 means a wrong URL, not a missing subscription.
    if (error instanceof Stripe.errors.StripeError && error.code === 'resource_missing') return undefined
    throw error
  }
}

async function eventsSince(stripe: Stripe, since: number, types: readonly string[]): Promise<readonly ProviderEvent[]> {
  const events = await stripe.events
    .list({ created: { gte: since }, types: [...types], limit: 100 }, { timeout: PAGE_TIMEOUT_MS })
    .autoPagingToArray({ limit: 10_000 })
  return events
    .map(parseEvent)
    .filter(event => event !== undefined)
    .reverse()
}

/**
 * Verifies the signature and the time of an event, because the SDK would accept any future time.
 *
 * @param tolerance maximum clock difference in seconds
 * @returns undefined if the event is invalid
 */
export function verifyEvent(
  body: Buffer,
  signature: string,
  secrets: readonly string[],
  now: Date,
  tolerance = 300,
): ProviderEvent | undefined {
  if (!(Math.abs(now.getTime() / 1_000 - timestampOf(signature)) <= tolerance)) return undefined
  if (!secrets.some(secret => matches(body, signature, secret))) return undefined
  try {
    return parseEvent(JSON.parse(body.toString('utf8')) as RawEvent)
  } catch {
    return undefined
  }
}

/**
 * Seconds since 1970, or NaN for an invalid signature. Requires exactly one time, because the SDK
 * would use the last of several.
 */
function timestampOf(signature: string): number {
  const [timestamp, ...more] = signature.split(',').filter(part => part.startsWith('t='))
  return more.length > 0 ? Number.NaN : Number(/^t=(\d{1,12})$/.exec(timestamp ?? '')?.[1])
}

function matches(body: Buffer, signature: string, secret: string): boolean {
  try {
    // 0 disables the time check of the SDK, which accepts future times.
    return Stripe.webhooks.signature!.verifyHeader(body, signature, secret, 0)
  } catch {
    return false
  }
}
