import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import type { AccountStore } from '../accounts.ts'
import type { EventStore, StoredEvent } from './events.ts'
import type { Provider } from './stripe.ts'
import { EVENT_TYPES, type Subject } from './subject.ts'
import { hasEnded } from './subscription.ts'
import type { SubscriptionStore } from './subscriptions.ts'

export interface BillingParts {
  readonly provider: Provider
  readonly events: EventStore
  readonly subscriptions: SubscriptionStore
  readonly accounts: AccountStore
  readonly clock: Clock
  readonly log: Log
}

/** What a comparison with the provider found. */
export interface Reconciled {
  /** Events that had not been received. */
  readonly eventsFound: number
  readonly subscriptionsRead: number
  /** Subscriptions the provider did not answer for. */
  readonly subscriptionsUnread: number
  /** Events on record that could not be applied yet. */
  readonly eventsWaiting: number
}

export interface Billing {
  /** Applies every stored event that is due. Never rejects: what could not be applied stays due. */
  round(): Promise<void>
  /** Asks the provider for events since a moment (seconds since 1970) and re-reads every subscription known; for what a webhook missed. */
  reconcile(since: number): Promise<Reconciled>
  /** Takes over one subscription's present state. @returns false when it belongs to no account of ours, or does not exist */
  syncSubscription(id: string, accountId?: string): Promise<boolean>
  stop(): Promise<void>
}

/** How often the provider is asked for what its webhooks may have failed to bring. */
const RECONCILE_MS = 3_600_000

const kindOf = (error: unknown): string => (error instanceof Error ? error.constructor.name : 'unknown')

/**
 * Applies stored events. An event says only that something changed; what it is now is read from the provider. So order, repetition
 * and lost events do not matter, and a crash between storing and applying costs a moment.
 */
export function openBilling(parts: BillingParts, everyMs: number | null = 1_000): Billing {
  const { provider, events, subscriptions, clock, log } = parts
  const syncSubscription = openSync(parts)
  let stopped = false
  const apply = async (event: StoredEvent): Promise<void> => {
    const about = (event.livemode === 1) === provider.live ? (JSON.parse(event.payload) as Subject | null) : null
    if (!about) return events.done(event.id, 'ignored')
    events.done(event.id, (await syncSubscription(about.subscription, about.account)) ? 'done' : 'ignored')
  }
  const attempt = async (event: StoredEvent): Promise<void> => {
    try {
      await apply(event)
    } catch (error) {
      // A call that was broken off was no failure, and the state file may be closed by now.
      if (stopped) return
      events.failed(event, kindOf(error), clock())
      log('failed', { during: 'applying a payment event', event: event.id, error: kindOf(error) })
    }
  }
  const walk = async (): Promise<void> => {
    subscriptions.lapse(clock())
    for (let due = events.due(clock()); due.length > 0; due = events.due(clock()))
      for (const event of due) {
        if (stopped) return
        await attempt(event)
      }
  }
  const complain =
    (during: string) =>
    (error: unknown): void => {
      if (!stopped) log('failed', { during, error: provider.isFault(error) ? kindOf(error) : String(error) })
    }
  let walking: Promise<void> = Promise.resolve()
  const round = (): Promise<void> => {
    // A state file that does not answer holds events up; it must not end the process.
    walking = walking.then(walk).catch(complain('applying payment events'))
    return walking
  }
  const reconcile = async (since: number): Promise<Reconciled> => {
    const found = await provider.events(since, EVENT_TYPES)
    const eventsFound = found.filter(event => events.store(event, clock())).length
    const known = subscriptions.all().filter(subscription => !hasEnded(subscription))
    let unread = 0
    for (const { id } of known)
      await syncSubscription(id).catch(error => {
        unread += 1
        complain('reading a subscription again')(error)
      })
    await round()
    return { eventsFound, subscriptionsRead: known.length - unread, subscriptionsUnread: unread, eventsWaiting: events.waiting() }
  }
  /** From a little before the last time nothing was missed, since events of one second may arrive apart. */
  const catchUp = async (): Promise<void> => {
    const began = Math.floor(clock().getTime() / 1_000)
    try {
      await reconcile((events.caughtUpAt() ?? began) - 3_600)
      events.caughtUp(began)
    } catch (error) {
      complain('asking the provider what was missed')(error)
    }
  }
  if (everyMs !== null) void catchUp()
  const timers = everyMs === null ? [] : [setInterval(() => void round(), everyMs), setInterval(() => void catchUp(), RECONCILE_MS)]
  for (const timer of timers) timer.unref()
  return {
    round,
    syncSubscription,
    reconcile,
    async stop() {
      stopped = true
      for (const timer of timers) clearInterval(timer)
      provider.close()
      await walking
    },
  }
}

function openSync({ provider, subscriptions, accounts, clock, log }: BillingParts): Billing['syncSubscription'] {
  let asked = 0
  /** By subscription, the number of the question whose answer was taken over. */
  const answered = new Map<string, number>()
  return async (id, owner) => {
    const turn = ++asked
    const found = await provider.subscription(id)
    const accountId = owner ?? subscriptions.get(id)?.accountId ?? (found && (found.accountId ?? accounts.byCustomer(found.customerId)))
    if (!found || !accountId || !accounts.byId(accountId, clock())) return false
    // Answers may overtake each other; one to an earlier question is out of date.
    if (turn < (answered.get(id) ?? 0)) return true
    answered.set(id, turn)
    if (accounts.byCustomer(found.customerId) === undefined) accounts.bindCustomer(accountId, found.customerId)
    const plan = provider.planOf(found.priceId)
    subscriptions.sync(accountId, found, plan, clock())
    log('paid', { account: accountId, subscription: id, status: found.status, plan })
    return true
  }
}
