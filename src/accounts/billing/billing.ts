import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import type { AccountStore } from '../accounts.ts'
import type { EventStore, StoredEvent } from './events.ts'
import type { Provider } from './stripe.ts'
import type { SubscriptionStore } from './subscriptions.ts'

/** Events that change what an account has. Others are kept and ignored. */
export const EVENT_TYPES = [
  'checkout.session.completed',
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'invoice.paid',
  'invoice.payment_failed',
] as const

export interface BillingParts {
  readonly provider: Provider
  readonly events: EventStore
  readonly subscriptions: SubscriptionStore
  readonly accounts: AccountStore
  readonly clock: Clock
  readonly log: Log
}

export interface Billing {
  /** Applies every stored event that is due. */
  round(): Promise<void>
  /** Asks the provider for events since a moment (seconds since 1970) and re-reads every subscription known; for what a webhook missed. */
  reconcile(since: number): Promise<{ readonly eventsFound: number; readonly subscriptionsRead: number }>
  /** Takes over one subscription's present state. @returns false when it belongs to no account of ours, or does not exist */
  syncSubscription(id: string, accountId?: string): Promise<boolean>
  stop(): Promise<void>
}

/** How often the provider is asked for what its webhooks may have failed to bring. */
const RECONCILE_MS = 3_600_000

/**
 * Applies stored events. An event says only that something changed; what it is now is read from the provider. So order, repetition
 * and lost events do not matter, and a crash between storing and applying costs a moment.
 */
export function openBilling(parts: BillingParts, everyMs = 1_000): Billing {
  const { provider, events, subscriptions, accounts, clock, log } = parts
  const syncSubscription = async (id: string, owner?: string): Promise<boolean> => {
    const found = await provider.subscription(id)
    const accountId = owner ?? subscriptions.get(id)?.accountId ?? (found && (found.accountId ?? accounts.byCustomer(found.customerId)))
    if (!found || !accountId || !accounts.byId(accountId, clock())) return false
    accounts.bindCustomer(accountId, found.customerId)
    subscriptions.sync(accountId, found, provider.planOf(found.priceId), clock())
    log('paid', { account: accountId, subscription: id, status: found.status, plan: provider.planOf(found.priceId) })
    return true
  }
  const apply = async (event: StoredEvent): Promise<void> => {
    const known = (EVENT_TYPES as readonly string[]).includes(event.type) && (event.livemode === 1) === provider.live
    const about = known ? subjectOf(event) : undefined
    if (!about) return events.done(event.id, 'ignored')
    events.done(event.id, (await syncSubscription(about.subscription, about.account)) ? 'done' : 'ignored')
  }
  const walk = async (): Promise<void> => {
    for (const event of events.due(clock())) {
      try {
        await apply(event)
      } catch (error) {
        events.failed(event, error instanceof Error ? error.name : 'unknown', clock())
        log('failed', { during: 'applying a payment event', event: event.id, error: error instanceof Error ? error.name : 'unknown' })
      }
    }
  }
  let walking: Promise<void> = Promise.resolve()
  const round = (): Promise<void> => {
    walking = walking.then(walk, walk)
    return walking
  }
  const reconcile: Billing['reconcile'] = async since => {
    const found = await provider.events(since, EVENT_TYPES)
    const eventsFound = found.filter(event => events.store(event, clock())).length
    const known = subscriptions.all()
    for (const { id } of known) await syncSubscription(id)
    await round()
    return { eventsFound, subscriptionsRead: known.length }
  }
  // A little before the newest event known, since events of one second may arrive apart.
  const catchUp = () => reconcile((events.newest() ?? clock().getTime() / 1_000) - 3_600)
  const timers = [setInterval(() => void round(), everyMs), setInterval(() => void catchUp().catch(() => {}), RECONCILE_MS)]
  for (const timer of timers) timer.unref()
  return {
    round,
    syncSubscription,
    reconcile,
    async stop() {
      for (const timer of timers) clearInterval(timer)
      await walking.catch(() => {})
    },
  }
}

interface Subject {
  readonly subscription: string
  readonly account: string | undefined
}

/** The subscription an event is about, and the account where a finished checkout names it. Undefined for an event without one. */
function subjectOf({ type, payload }: StoredEvent): Subject | undefined {
  const { object } = (JSON.parse(payload) as { data: { object: Record<string, unknown> } }).data
  if (type.startsWith('customer.subscription.')) return { subscription: String(object['id']), account: undefined }
  const parent = object['parent'] as { subscription_details?: { subscription?: unknown } } | undefined
  const subscription = object['subscription'] ?? parent?.subscription_details?.subscription
  if (typeof subscription !== 'string') return undefined
  const account = type === 'checkout.session.completed' ? accountOf(object) : undefined
  return { subscription, account }
}

function accountOf(session: Readonly<Record<string, unknown>>): string | undefined {
  const named = session['client_reference_id'] ?? (session['metadata'] as Record<string, unknown> | undefined)?.['account_id']
  return typeof named === 'string' ? named : undefined
}
