import type Stripe from 'stripe'
import { taipei } from '../core/index.ts'

/** A subscription as the provider describes it, whichever shape its API version uses. */
export interface ProviderSubscription {
  readonly id: string
  readonly customerId: string
  readonly status: string
  readonly priceId: string | null
  /** End of the paid period, RFC 3339 in Taipei; null where the provider names none. */
  readonly currentPeriodEnd: string | null
  readonly cancelAtPeriodEnd: boolean
  /** What the provider bills for; absent where it does not say. */
  readonly billed?: BilledNow | undefined
  /** Account the checkout was made for; null where the subscription does not carry it. */
  readonly accountId: string | null
}

/** The running period and its price. Times are RFC 3339 in Taipei. */
export interface BilledNow {
  readonly startsAt: string
  /** When the first billed period began: the subscription's start, or the end of its trial. */
  readonly since: string
  /** When the subscription ended; null while it goes on. */
  readonly endedAt: string | null
  /** Price of a period, in minor units. */
  readonly amount: number
}

/** An event of the provider, reduced to what is stored. */
export interface ProviderEvent {
  readonly id: string
  readonly type: string
  /** Seconds since 1970. */
  readonly created: number
  readonly livemode: boolean
  /** A `Subject` or null, as JSON. */
  readonly payload: string
}

/** What an event is about. Nothing else of an event is stored: no card, name or address of a payer. */
export interface Subject {
  readonly subscription: string
  /** The account, where a completed checkout names it. */
  readonly account?: string
}

/** Events that change what an account has. Others are stored by their id and ignored. */
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

/** The subscription an event is about, in either place an invoice names it; null for an event without one, or of another type. */
function subjectOf(type: string, data: unknown): Subject | null {
  if (!(EVENT_TYPES as readonly string[]).includes(type)) return null
  const object = fieldsOf(fieldsOf(data)['object'])
  const details = fieldsOf(fieldsOf(object['parent'])['subscription_details'])
  const subscription = type.startsWith('customer.subscription.') ? object['id'] : (object['subscription'] ?? details['subscription'])
  if (typeof subscription !== 'string') return null
  const account = type === 'checkout.session.completed' ? accountOf(object) : undefined
  return account === undefined ? { subscription } : { subscription, account }
}

function accountOf(session: Fields): string | undefined {
  const named = session['client_reference_id'] ?? fieldsOf(session['metadata'])['account_id']
  return typeof named === 'string' ? named : undefined
}

/** Either kind of event. The newer, thin one writes its time as text and carries no object. */
export interface RawEvent {
  readonly id?: unknown
  readonly type?: unknown
  readonly created?: unknown
  readonly livemode?: unknown
  readonly data?: unknown
}

/** The event in a parsed body; undefined when it is not an event. */
export function eventOf(raw: RawEvent): ProviderEvent | undefined {
  const { id, type, livemode, data } = raw
  const created = typeof raw.created === 'string' ? Math.floor(Date.parse(raw.created) / 1_000) : raw.created
  if (typeof id !== 'string' || typeof type !== 'string' || typeof livemode !== 'boolean' || !Number.isSafeInteger(created))
    return undefined
  return { id, type, created: created as number, livemode, payload: JSON.stringify(subjectOf(type, data)) }
}

/** The period moved from the subscription to its items; older API versions still have it on the subscription. */
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

/** Null in place of a time. */
const timeOrNull = (seconds: number | null | undefined): string | null => (seconds == null ? null : timeOf(seconds))

/** Undefined where the provider names no period or no price. */
function billedNow({ start_date, trial_end, ended_at }: Stripe.Subscription, item: Item | undefined, start: number | undefined) {
  const price = item?.price.unit_amount
  if (start === undefined || price == null) return undefined
  const since = Math.max(start_date ?? start, trial_end ?? 0)
  return { startsAt: timeOf(start), since: timeOf(since), endedAt: timeOrNull(ended_at), amount: price * (item?.quantity ?? 1) }
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
    currentPeriodEnd: timeOrNull(end),
    cancelAtPeriodEnd,
    billed: billedNow(subscription, item, item?.current_period_start ?? shape.current_period_start),
    accountId: metadata['account_id'] ?? null,
  }
}
