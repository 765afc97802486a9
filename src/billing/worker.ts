import type { AccountStore } from '../accounts/index.ts'
import { type Clock, coalesceNext, HOUR_MS, type Log } from '../core/index.ts'
import type { PaymentEventStore, StoredEvent } from './events.ts'
import { EVENT_TYPES, type Subject } from './provider-data.ts'
import type { Provider } from './stripe.ts'
import { hasEnded, isLive, type Subscription } from './subscription.ts'
import type { SubscriptionStore } from './subscriptions.ts'

export interface BillingWorkerDeps {
  readonly provider: Provider
  readonly events: PaymentEventStore
  readonly subscriptions: SubscriptionStore
  readonly accounts: AccountStore
  readonly clock: Clock
  readonly log: Log
}

export interface ReconcileReport {
  readonly eventsFound: number
  readonly subscriptionsRead: number
  readonly subscriptionsUnread: number
  readonly eventsWaiting: number
}

export interface BillingWorker {
  /** Tries each due event once. Never rejects: failed events are retried later. */
  applyDue(): Promise<void>
  /**
   * Requests missed events, and reads all subscriptions again.
   * @param since start time, in seconds since 1970
   */
  reconcile(since: number): Promise<ReconcileReport>
  /**
   * Reads a subscription from the provider and stores the result.
   *
   * @param accountId account, if the caller knows the account
   * @returns false if the subscription does not exist or has no account
   * @throws Error if the provider does not respond
   */
  syncSubscription(id: string, accountId?: string): Promise<boolean>
  /** Aborts calls to the provider. Resolves when no call is running. */
  close(): Promise<void>
}

const RECONCILE_MS = HOUR_MS
/** Overlap of the time ranges of two consecutive requests for events. */
const OVERLAP_SECONDS = 3_600
/**
 * The provider stores events for 30 days. If the clock was set back, the whole range is requested
 * again.
 */
const EVENT_RETENTION_SECONDS = 30 * 86_400

/**
 * Reads a subscription again after an event. The order of events does not matter. After a crash,
 * stored events are applied at the next start.
 *
 * @param everyMs polling interval. Null disables polling
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
    // Continues after the last event, because the events before it may be due again.
    for (let due = events.due(now); due.length > 0; due = events.due(now, due.at(-1)))
      for (const event of due) {
        if (stopping.signal.aborted) return
        await apply(event)
      }
  }
  /** A locked state file only delays events, so an error must not end the process. */
  const applyDue = coalesceNext(() => applyAll().catch(report('applying payment events')))
  const reconcile = async (since: number): Promise<ReconcileReport> => {
    const missedEvents = await deps.provider.listEvents(since, EVENT_TYPES)
    const eventsFound = missedEvents.filter(event => events.store(event, clock())).length
    const current = subscriptions.all().filter(subscription => !hasEnded(subscription))
    const unread = await resyncAll(current, syncSubscription, report('reading a subscription again'))
    await applyDue()
    return { eventsFound, subscriptionsRead: current.length - unread, subscriptionsUnread: unread, eventsWaiting: events.waiting() }
  }
  const catchUp = async (): Promise<void> => {
    const startedAt = Math.floor(clock().getTime() / 1_000)
    try {
      const last = events.lastCatchUpAt() ?? startedAt
      await reconcile(last > startedAt ? startedAt - EVENT_RETENTION_SECONDS : last - OVERLAP_SECONDS)
      events.recordCatchUp(startedAt)
    } catch (error) {
      report('fetching missed payment events')(error)
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

type Reporter = (during: string) => (error: unknown) => void

const createReporter =
  ({ provider, log }: BillingWorkerDeps, stopping: AbortSignal): Reporter =>
  during =>
  error => {
    if (!stopping.aborted) log('failed', { during, error: provider.isFault(error) ? errorName(error) : String(error) })
  }

/** Omits the provider's message, which can contain a part of the secret key. */
const errorName = (error: unknown): string => (error instanceof Error ? error.constructor.name : 'unknown')

function createSync({ provider, subscriptions, accounts, clock, log }: BillingWorkerDeps): BillingWorker['syncSubscription'] {
  let requests = 0
  /**
   * Number of the newest stored request by subscription. Requests are numbered in the order of
   * sending.
   */
  const latestStored = new Map<string, number>()
  return async (id, owner) => {
    const request = ++requests
    const subscription = await provider.getSubscription(id)
    const accountId =
      owner ??
      subscriptions.get(id)?.accountId ??
      (subscription && (subscription.accountId ?? accounts.byCustomer(subscription.customerId)))
    if (!subscription || !accountId || !accounts.byId(accountId, clock())) return false
    // Responses can arrive out of order.
    if (request < (latestStored.get(id) ?? 0)) return true
    latestStored.set(id, request)
    if (accounts.byCustomer(subscription.customerId) === undefined) accounts.bindCustomer(accountId, subscription.customerId)
    const plan = provider.planOf(subscription.priceId)
    subscriptions.sync(accountId, subscription, plan, clock())
    // The address may have opened a new account since the checkout.
    accounts.passToSuccessor(accountId, clock())
    log('paid', { account: subscriptions.get(id)?.accountId, subscription: id, status: subscription.status, plan })
    return true
  }
}

function createEventApplier(
  { provider, events, subscriptions, clock, log }: BillingWorkerDeps,
  syncSubscription: BillingWorker['syncSubscription'],
  stopping: AbortSignal,
): (event: StoredEvent) => Promise<void> {
  const apply = async (event: StoredEvent): Promise<void> => {
    const subject = (event.livemode === 1) === provider.live ? (JSON.parse(event.payload) as Subject | null) : null
    if (!subject) return events.markDone(event.id, 'ignored')
    const isOurs = await syncSubscription(subject.subscription, subject.account)
    if (isOurs && subject.account !== undefined) await expireOthers(subject.subscription)
    events.markDone(event.id, isOurs ? 'done' : 'ignored')
  }
  const expireOthers = async (id: string): Promise<void> => {
    const paid = subscriptions.get(id)
    if (paid && isLive(paid)) await provider.expireCheckouts(paid, clock())
  }
  return async event => {
    try {
      await apply(event)
    } catch (error) {
      // An aborted call is not a failure.
      if (stopping.aborted) return
      events.markFailed(event, errorName(error), clock())
      log('failed', { during: 'applying a payment event', payment_event: event.id, error: errorName(error) })
    }
  }
}

async function resyncAll(
  subscriptions: readonly Subscription[],
  syncSubscription: BillingWorker['syncSubscription'],
  report: (error: unknown) => void,
): Promise<number> {
  let unread = 0
  for (const { id } of subscriptions)
    await syncSubscription(id).catch(error => {
      unread += 1
      report(error)
    })
  return unread
}
