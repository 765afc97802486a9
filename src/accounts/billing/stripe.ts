import Stripe from 'stripe'
import type { PlanId } from '../../../catalog/index.ts'
import type { Prices } from '../../core/index.ts'
import { type CheckoutOrder, sessionOf } from './checkout.ts'
import { addressOf, agentUntil } from './connection.ts'
import { eventOf, type ProviderEvent, type ProviderSubscription, type RawEvent, readSubscription } from './shapes.ts'

export interface ProviderOptions {
  readonly secretKey: string
  /** Another address that speaks the provider's protocol; the provider itself when absent. */
  readonly apiBase: string | undefined
  readonly prices: Prices
}

const PAID = ['pro', 'max'] as const satisfies readonly PlanId[]

/** How long one answer is waited for; with both retries a customer waits a quarter of a minute at most. */
const TIMEOUT_MS = 4_000
/** The same for a page of events, which is long and which nobody waits for. */
const PAGE_TIMEOUT_MS = 20_000

/** The payment provider. Card data goes from the customer to it and never through here. The only file that imports stripe. */
export function openProvider({ secretKey, apiBase, prices }: ProviderOptions) {
  const closing = new AbortController()
  const stripe = new Stripe(secretKey, {
    ...addressOf(apiBase),
    httpAgent: agentUntil(closing.signal, apiBase),
    maxNetworkRetries: 2,
    timeout: TIMEOUT_MS,
    telemetry: false,
  })
  return {
    /** True for a key of the provider's live mode: events of the other mode are not ours. */
    live: secretKey.startsWith('sk_live_') || secretKey.startsWith('rk_live_'),
    async checkout(order: CheckoutOrder) {
      const { idempotencyKey, planId } = order
      const session = await stripe.checkout.sessions.create(sessionOf(order, prices[planId][0]), { idempotencyKey })
      return { id: session.id, url: session.url!, expiresAt: new Date(session.expires_at * 1_000) }
    },
    async portal(customerId: string, returnUrl: string): Promise<string> {
      return (await stripe.billingPortal.sessions.create({ customer: customerId, return_url: returnUrl })).url
    },
    /** Undefined when the provider does not know it. */
    subscription: (id: string): Promise<ProviderSubscription | undefined> => subscriptionAt(stripe, id),
    /** Events since a moment, oldest first. @param since seconds since 1970 */
    events: (since: number, types: readonly string[]): Promise<readonly ProviderEvent[]> => eventsSince(stripe, since, types),
    /** The plan of a price that is or was sold; free for any other. */
    planOf: (priceId: string | null): PlanId => PAID.find(plan => priceId !== null && prices[plan].includes(priceId)) ?? 'free',
    /** True for a failure of the provider's or of the way to it, rather than one of ours. */
    isFault: (error: unknown): error is Error => error instanceof Stripe.errors.StripeError,
    /** Breaks off every call that waits for an answer, and refuses any further one. */
    close: (): void => closing.abort(),
  }
}

export type Provider = ReturnType<typeof openProvider>

async function subscriptionAt(stripe: Stripe, id: string): Promise<ProviderSubscription | undefined> {
  try {
    return readSubscription(await stripe.subscriptions.retrieve(id))
  } catch (error) {
    // Another 404 is a wrong address, and says nothing of the subscription.
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
 * An event whose bytes were signed with one of the secrets.
 *
 * @param tolerance seconds the signature's time may lie from now, either way: the SDK alone takes any time in the future
 * @returns undefined for whatever is not exactly that
 */
export function verifyEvent(
  body: Buffer,
  signature: string,
  secrets: readonly string[],
  now: Date,
  tolerance = 300,
): ProviderEvent | undefined {
  if (!(Math.abs(now.getTime() / 1_000 - stampOf(signature)) <= tolerance)) return undefined
  // Another of the secrets may fit while they are rotated.
  if (!secrets.some(secret => fits(body, signature, secret))) return undefined
  try {
    return eventOf(JSON.parse(body.toString('utf8')) as RawEvent)
  } catch {
    return undefined
  }
}

/** Seconds since 1970; NaN where the signature names no time, or two: the SDK reads the last of them, whatever was checked here. */
function stampOf(signature: string): number {
  const [stamp, ...more] = signature.split(',').filter(part => part.startsWith('t='))
  return more.length > 0 ? Number.NaN : Number(/^t=(\d{1,12})$/.exec(stamp ?? '')?.[1])
}

function fits(body: Buffer, signature: string, secret: string): boolean {
  try {
    // A tolerance of 0 turns the SDK's own check of age off; ours looks both ways.
    return Stripe.webhooks.signature!.verifyHeader(body, signature, secret, 0)
  } catch {
    return false
  }
}
