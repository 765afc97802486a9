import type { Clock, Log } from '../../core/index.ts'
import type { AccountStore } from '../accounts.ts'
import { complaints } from './complaints.ts'
import type { EventStore } from './events.ts'
import { openReconciliation } from './reconciliation.ts'
import { openRounds } from './rounds.ts'
import type { Provider } from './stripe.ts'
import type { SubscriptionStore } from './subscriptions.ts'
import { openSync } from './sync.ts'

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

/**
 * Applies stored events. An event says only that something changed; what it is now is read from the provider. So order, repetition
 * and lost events do not matter, and a crash between storing and applying costs a moment.
 */
export function openBilling(parts: BillingParts, everyMs: number | null = 1_000): Billing {
  const stopping = new AbortController()
  const complain = complaints(parts, stopping.signal)
  const syncSubscription = openSync(parts)
  const { round, ended } = openRounds({ ...parts, syncSubscription, complain, stopping: stopping.signal })
  const { reconcile, catchUp } = openReconciliation({ ...parts, syncSubscription, round, complain })
  if (everyMs !== null) void catchUp()
  const timers = everyMs === null ? [] : [setInterval(() => void round(), everyMs), setInterval(() => void catchUp(), RECONCILE_MS)]
  for (const timer of timers) timer.unref()
  return {
    round,
    syncSubscription,
    reconcile,
    async stop() {
      stopping.abort()
      for (const timer of timers) clearInterval(timer)
      parts.provider.close()
      await ended()
    },
  }
}
