import type Stripe from 'stripe'
import { taipei } from '../core/index.ts'

export interface ProviderSubscription {
  readonly id: string
  readonly customerId: string
  readonly status: string
  readonly priceId: string | null
  /** RFC 3339 in Taipei. Null if the provider reports no period. */
  readonly currentPeriodEnd: string | null
  readonly cancelAtPeriodEnd: boolean
  /** Undefined if the provider reports no period or no price. */
  readonly billed?: CurrentPeriod | undefined
  /** Null if the checkout stored no account. */
  readonly accountId: string | null
}

/** Times are RFC 3339 in Taipei. */
export interface CurrentPeriod {
  readonly startsAt: string
  /** Start of the subscription, or the end of the trial. */
  readonly since: string
  /** Null while the subscription runs. */
  readonly endedAt: string | null
  /** Price of the period, in cents. */
  readonly amount: number
}

export interface ProviderEvent {
  readonly id: string
  readonly type: string
  /** Seconds since 1970. */
  readonly created: number
  readonly livemode: boolean
  readonly payload: string
}

/** Stored part of an event. Excludes cards, names and addresses. */
export interface Subject {
  readonly subscription: string
  readonly account?: string
}

/** Types of events that can change an account's plan. */
export const EVENT_TYPES = [
  'checkout.session.completed',
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'invoice.paid',
  'invoice.payment_failed',
] as const

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})

function parseSubject(type: string, data: unknown): Subject | null {
  if (!(EVENT_TYPES as readonly string[]).includes(type)) return null
  const object = fieldsOf(fieldsOf(data)['object'])
  const details = fieldsOf(fieldsOf(object['parent'])['subscription_details'])
  const subscription = type.startsWith('customer.subscription.') ? object['id'] : (object['subscription'] ?? details['subscription'])
  if (typeof subscription !== 'string') return null
  const account = type === 'checkout.session.completed' ? parseAccount(object) : undefined
  return account === undefined ? { subscription } : { subscription, account }
}

function parseAccount(session: Fields): string | undefined {
  const accountId = session['client_reference_id'] ?? fieldsOf(session['metadata'])['account_id']
  return typeof accountId === 'string' ? accountId : undefined
}

/** The provider sends two kinds of events. Thin events omit the changed object. */
export interface RawEvent {
  readonly id?: unknown
  readonly type?: unknown
  readonly created?: unknown
  readonly livemode?: unknown
  readonly data?: unknown
}

export function parseEvent(raw: RawEvent): ProviderEvent | undefined {
  const { id, type, livemode, data } = raw
  const created = typeof raw.created === 'string' ? Math.floor(Date.parse(raw.created) / 1_000) : raw.created
  if (typeof id !== 'string' || typeof type !== 'string' || typeof livemode !== 'boolean' || !Number.isSafeInteger(created))
    return undefined
  return { id, type, created: created as number, livemode, payload: JSON.stringify(parseSubject(type, data)) }
}

interface EitherShape extends Period {
  readonly items: { readonly data: readonly Item[] }
}

interface Period {
  readonly current_period_start?: number
  readonly current_period_end?: number
}

interface Item extends Period {
  readonly price: { readonly id: string; readonly unit_amount?: number | null }
  readonly quantity?: number
}

const timeOf = (seconds: number): string => taipei(new Date(seconds * 1_000))

const timeOrNull = (seconds: number | null | undefined): string | null => (seconds == null ? null : timeOf(seconds))

function parseCurrentPeriod({ start_date, trial_end, ended_at }: Stripe.Subscription, item: Item | undefined, start: number | undefined) {
  const price = item?.price.unit_amount
  if (start === undefined || price == null) return undefined
  const since = Math.max(start_date ?? start, trial_end ?? 0)
  return { startsAt: timeOf(start), since: timeOf(since), endedAt: timeOrNull(ended_at), amount: price * (item?.quantity ?? 1) }
}

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
    currentPeriodEnd: timeOrNull(end),
    cancelAtPeriodEnd,
    billed: parseCurrentPeriod(subscription, item, item?.current_period_start ?? shape.current_period_start),
    accountId: metadata['account_id'] ?? null,
  }
}
