import type { AccountStore } from '../accounts/index.ts'
import { type Clock, coalesceNext, HOUR_MS, type Log } from '../core/index.ts'
import type { PaymentEventStore, StoredEvent } from './events.ts'
import { EVENT_TYPES, type Subject } from './shapes.ts'
import type { Provider } from './stripe.ts'
import { hasEnded, isLive, type Subscription } from './subscription.ts'
import type { SubscriptionStore } from './subscriptions.ts'

/** The stores it writes to and the provider it asks. */
export interface BillingWorkerDeps {
  readonly provider: Provider
  readonly events: PaymentEventStore
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
  /** Stored events that could not be applied yet. */
  readonly eventsWaiting: number
}

/** Applies the payment provider’s events to subscriptions, one call after another. */
export interface BillingWorker {
  /** Tries every stored event that is due once, after calls before it. Never rejects: an event that could not be applied is due again later. */
  applyDue(): Promise<void>
  /**
   * Asks the provider for events a webhook missed and reads every subscription again.
   *
   * @param since seconds since 1970
   */
  reconcile(since: number): Promise<Reconciled>
  /**
   * Stores a subscription's present state. Calls may run side by side; the latest one counts.
   *
   * @param accountId the account it is for, where the caller knows it
   * @returns false when the subscription belongs to no account of ours, or does not exist
   * @throws when the provider does not answer
   */
  syncSubscription(id: string, accountId?: string): Promise<boolean>
  /** Breaks off calls to the provider and resolves once nothing runs. */
  close(): Promise<void>
}

/** How often the provider is asked for events its webhooks may have failed to deliver. */
const RECONCILE_MS = HOUR_MS
/** Overlap of two such questions: events of one second may arrive apart. */
const OVERLAP_SECONDS = 3_600
/** What the provider keeps of events: asked for where the last question lies ahead, since the clock was put back. */
const KEPT_SECONDS = 30 * 86_400

/**
 * Applies stored events. An event only says that something changed; the present state is read from the provider. Order, repetition and
 * lost events therefore do not matter, and after a crash between storing and applying an event it is applied at the next start.
 *
 * @param everyMs how often stored events are looked at; null for a worker that does nothing by itself
 */
export function openBillingWorker(deps: BillingWorkerDeps, everyMs: number | null = 1_000): BillingWorker {
  const stopping = new AbortController()
  const report = createReporter(deps, stopping.signal)
  const syncSubscription = createSync(deps)
  const apply = createEventApplier(deps, syncSubscription, stopping.signal)
  const { events, subscriptions, clock } = deps
  const applyAll = async (): Promise<void> => {
    if (stopping.signal.aborted) return
    const now = clock()
    subscriptions.lapse(now)
    // While the provider is slow to fail, the first of them are due again before the last was tried.
    for (let due = events.due(now); due.length > 0; due = events.due(now, due.at(-1)))
      for (const event of due) {
        if (stopping.signal.aborted) return
        await apply(event)
      }
  }
  // A state file that does not answer delays events; it must not end the process.
  const applyDue = coalesceNext(() => applyAll().catch(report('applying payment events')))
  const reconcile = async (since: number): Promise<Reconciled> => {
    const found = await deps.provider.events(since, EVENT_TYPES)
    const eventsFound = found.filter(event => events.store(event, clock())).length
    const known = subscriptions.all().filter(subscription => !hasEnded(subscription))
    const unread = await rereadAll(known, syncSubscription, report('reading a subscription again'))
    await applyDue()
    return { eventsFound, subscriptionsRead: known.length - unread, subscriptionsUnread: unread, eventsWaiting: events.waiting() }
  }
  const catchUp = async (): Promise<void> => {
    const began = Math.floor(clock().getTime() / 1_000)
    try {
      const last = events.caughtUpAt() ?? began
      await reconcile(last > began ? began - KEPT_SECONDS : last - OVERLAP_SECONDS)
      events.caughtUp(began)
    } catch (error) {
      report('asking the provider what was missed')(error)
    }
  }
  if (everyMs !== null) void catchUp()
  const timers = everyMs === null ? [] : [setInterval(() => void applyDue(), everyMs), setInterval(() => void catchUp(), RECONCILE_MS)]
  for (const timer of timers) timer.unref()
  return {
    applyDue,
    reconcile,
    syncSubscription,
    async close() {
      stopping.abort()
      for (const timer of timers) clearInterval(timer)
      deps.provider.close()
      await applyDue()
    },
  }
}

/** Logs that something failed, and why; what was broken off by the stop did not fail. */
type Reporter = (during: string) => (error: unknown) => void

const createReporter =
  ({ provider, log }: BillingWorkerDeps, stopping: AbortSignal): Reporter =>
  during =>
  error => {
    if (!stopping.aborted) log('failed', { during, error: provider.isFault(error) ? kindOf(error) : String(error) })
  }

/** The kind of an error: the provider's own message may contain a part of our key. */
const kindOf = (error: unknown): string => (error instanceof Error ? error.constructor.name : 'unknown')

function createSync({ provider, subscriptions, accounts, clock, log }: BillingWorkerDeps): BillingWorker['syncSubscription'] {
  let requests = 0
  /** Subscription → number of the latest request whose answer was stored. */
  const stored = new Map<string, number>()
  return async (id, owner) => {
    const request = ++requests
    const found = await provider.subscription(id)
    const accountId = owner ?? subscriptions.get(id)?.accountId ?? (found && (found.accountId ?? accounts.byCustomer(found.customerId)))
    if (!found || !accountId || !accounts.byId(accountId, clock())) return false
    // Answers may overtake each other; one to an earlier request is out of date.
    if (request < (stored.get(id) ?? 0)) return true
    stored.set(id, request)
    if (accounts.byCustomer(found.customerId) === undefined) accounts.bindCustomer(accountId, found.customerId)
    const plan = provider.planOf(found.priceId)
    subscriptions.sync(accountId, found, plan, clock())
    // Its checkout may have been opened before the account was closed, and paid after its owner has another.
    accounts.passToSuccessor(accountId, clock())
    log('paid', { account: subscriptions.get(id)?.accountId, subscription: id, status: found.status, plan })
    return true
  }
}

/** Applies one event; an event that could not be applied is due again later. */
function createEventApplier(
  { provider, events, subscriptions, clock, log }: BillingWorkerDeps,
  syncSubscription: BillingWorker['syncSubscription'],
  stopping: AbortSignal,
): (event: StoredEvent) => Promise<void> {
  const apply = async (event: StoredEvent): Promise<void> => {
    const subject = (event.livemode === 1) === provider.live ? (JSON.parse(event.payload) as Subject | null) : null
    if (!subject) return events.done(event.id, 'ignored')
    const isOurs = await syncSubscription(subject.subscription, subject.account)
    if (isOurs && subject.account !== undefined) await expireOthers(subject.subscription)
    events.done(event.id, isOurs ? 'done' : 'ignored')
  }
  /** Ends the pages a subscriber could pay a second subscription on. */
  const expireOthers = async (id: string): Promise<void> => {
    const paid = subscriptions.get(id)
    if (paid && isLive(paid)) await provider.expireCheckouts(paid, clock())
  }
  return async event => {
    try {
      await apply(event)
    } catch (error) {
      // A call that was broken off did not fail, and the state file may be closed by now.
      if (stopping.aborted) return
      events.failed(event, kindOf(error), clock())
      log('failed', { during: 'applying a payment event', event: event.id, error: kindOf(error) })
    }
  }
}

/** Reads subscriptions again. @returns how many the provider did not answer for */
async function rereadAll(
  known: readonly Subscription[],
  syncSubscription: BillingWorker['syncSubscription'],
  report: (error: unknown) => void,
): Promise<number> {
  let unread = 0
  for (const { id } of known)
    await syncSubscription(id).catch(error => {
      unread += 1
      report(error)
    })
  return unread
}
