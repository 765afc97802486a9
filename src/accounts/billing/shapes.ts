import type Stripe from 'stripe'
import { taipei } from '../../core/index.ts'
import { subjectOf } from './subject.ts'

/** What the provider says of a subscription, in either shape its API has used. */
export interface ProviderSubscription {
  readonly id: string
  readonly customerId: string
  readonly status: string
  readonly priceId: string | null
  /** RFC 3339 end, in Taipei, of the period paid for, or null where the provider names none. */
  readonly currentPeriodEnd: string | null
  readonly cancelAtPeriodEnd: boolean
  /** Account the checkout was made for, where the subscription carries it. */
  readonly accountId: string | null
}

/** An event of the provider's, as much of it as is kept. */
export interface ProviderEvent {
  readonly id: string
  readonly type: string
  /** Seconds since 1970. */
  readonly created: number
  readonly livemode: boolean
  /** What it is about, a `Subject` or null, as JSON. */
  readonly payload: string
}

/** Either kind of event; the newer, thin one writes its time as text and carries no object. */
export interface RawEvent {
  readonly id?: unknown
  readonly type?: unknown
  readonly created?: unknown
  readonly livemode?: unknown
  readonly data?: unknown
}

/** Undefined for what is no event at all. */
export function eventOf(raw: RawEvent): ProviderEvent | undefined {
  const { id, type, livemode, data } = raw
  const created = typeof raw.created === 'string' ? Math.floor(Date.parse(raw.created) / 1_000) : raw.created
  if (typeof id !== 'string' || typeof type !== 'string' || typeof livemode !== 'boolean' || !Number.isSafeInteger(created))
    return undefined
  return { id, type, created: created as number, livemode, payload: JSON.stringify(subjectOf(type, data)) }
}

/** The period's end moved from the subscription to its items; older events and accounts still have it on the subscription. */
interface EitherShape {
  readonly current_period_end?: number
  readonly items: { readonly data: readonly { readonly price: { readonly id: string }; readonly current_period_end?: number }[] }
}

/** Reads a subscription in either shape. */
export function readSubscription(subscription: Stripe.Subscription): ProviderSubscription {
  const shape = subscription as unknown as EitherShape
  const [item] = shape.items.data
  const end = item?.current_period_end ?? shape.current_period_end
  const { id, customer, status, cancel_at_period_end: cancelAtPeriodEnd, metadata } = subscription
  return {
    id,
    customerId: typeof customer === 'string' ? customer : customer.id,
    status,
    priceId: item?.price.id ?? null,
    currentPeriodEnd: end === undefined ? null : taipei(new Date(end * 1_000)),
    cancelAtPeriodEnd,
    accountId: metadata['account_id'] ?? null,
  }
}
