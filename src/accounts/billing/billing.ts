import type { Clock, Config, Log } from '../../core/index.ts'
import type { AccountStore } from '../accounts.ts'
import type { PaymentEventStore } from './events.ts'
import { openProvider, type Provider } from './stripe.ts'
import type { SubscriptionStore } from './subscriptions.ts'
import { type BillingWorker, openBillingWorker } from './worker.ts'

/** Stores of the control plane that billing writes to. */
export interface BillingStores {
  readonly paymentEvents: PaymentEventStore
  readonly subscriptions: SubscriptionStore
  readonly accounts: AccountStore
}

/** What a service with a payment provider works with. */
export interface Billing {
  readonly provider: Provider
  readonly worker: BillingWorker
  /** Webhook secrets, the one in use first. */
  readonly webhookSecrets: readonly string[]
  /** Stops the worker and breaks off calls to the provider. */
  close(): Promise<void>
}

/**
 * Opens billing; null when no provider is configured.
 *
 * @param everyMs how often stored events are looked at; null for a worker that does nothing by itself
 */
export function openBilling(
  { stripe }: Pick<Config, 'stripe'>,
  { paymentEvents: events, subscriptions, accounts }: BillingStores,
  clock: Clock,
  log: Log,
  everyMs?: number | null,
): Billing | null {
  if (!stripe) return null
  const provider = openProvider({ secretKey: stripe.secretKey, apiBase: stripe.apiBase, prices: stripe.prices })
  const worker = openBillingWorker({ provider, events, subscriptions, accounts, clock, log }, everyMs)
  return { provider, worker, webhookSecrets: stripe.webhookSecrets, close: worker.close }
}
