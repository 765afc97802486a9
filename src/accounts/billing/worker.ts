import type { Clock, Log } from '../../core/index.ts'
import type { AccountStore } from '../accounts.ts'
import { complaints } from './complaints.ts'
import type { PaymentEventStore } from './events.ts'
import { openReconciliation } from './reconciliation.ts'
import { openRounds } from './rounds.ts'
import type { Provider } from './stripe.ts'
import type { SubscriptionStore } from './subscriptions.ts'
import { openSync } from './sync.ts'

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
  /** Events on record that could not be applied yet. */
  readonly eventsWaiting: number
}

export interface BillingWorker {
  /** Applies every stored event that is due. Never rejects: what could not be applied stays due. */
  applyDue(): Promise<void>
  /** Asks the provider for events since a moment (seconds since 1970) and re-reads every subscription known; for what a webhook missed. */
  reconcile(since: number): Promise<Reconciled>
  /** Takes over one subscription's present state. @returns false when it belongs to no account of ours, or does not exist */
  syncSubscription(id: string, accountId?: string): Promise<boolean>
  close(): Promise<void>
}

/** How often the provider is asked for what its webhooks may have failed to bring. */
const RECONCILE_MS = 3_600_000

/**
 * Applies stored events. An event says only that something changed; what it is now is read from the provider. So order, repetition
 * and lost events do not matter, and a crash between storing and applying costs a moment.
 */
export function openBillingWorker(parts: BillingWorkerDeps, everyMs: number | null = 1_000): BillingWorker {
  const stopping = new AbortController()
  const complain = complaints(parts, stopping.signal)
  const syncSubscription = openSync(parts)
  const { applyDue, ended } = openRounds({ ...parts, syncSubscription, complain, stopping: stopping.signal })
  const { reconcile, catchUp } = openReconciliation({ ...parts, syncSubscription, applyDue, complain })
  if (everyMs !== null) void catchUp()
  const timers = everyMs === null ? [] : [setInterval(() => void applyDue(), everyMs), setInterval(() => void catchUp(), RECONCILE_MS)]
  for (const timer of timers) timer.unref()
  return {
    applyDue,
    syncSubscription,
    reconcile,
    async close() {
      stopping.abort()
      for (const timer of timers) clearInterval(timer)
      parts.provider.close()
      await ended()
    },
  }
}
