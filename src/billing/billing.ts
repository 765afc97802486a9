import type { AccountStore } from '../accounts/index.ts'
import type { Clock, Config, Log } from '../core/index.ts'
import type { PaymentEventStore } from './events.ts'
import type { ProviderEvent } from './provider-data.ts'
import type { Provider } from './stripe.ts'
import type { SubscriptionStore } from './subscriptions.ts'
import { type BillingWorker, openBillingWorker } from './worker.ts'

export interface BillingStores {
  readonly paymentEvents: PaymentEventStore
  readonly subscriptions: SubscriptionStore
  readonly accounts: AccountStore
}

export interface Billing {
  readonly provider: Provider
  readonly worker: BillingWorker
  /** Returns undefined if no webhook secret signed the event. */
  verify(body: Buffer, signature: string, now: Date): ProviderEvent | undefined
  close(): Promise<void>
}

/**
 * Returns null if no payment provider is configured.
 *
 * @param everyMs polling interval. Null disables polling
 */
export async function openBilling(
  { stripe }: Pick<Config, 'stripe'>,
  { paymentEvents: events, subscriptions, accounts }: BillingStores,
  clock: Clock,
  log: Log,
  everyMs?: number | null,
): Promise<Billing | null> {
  if (!stripe) return null
  const { openProvider, verifyEvent } = await import('./stripe.ts')
  const provider = openProvider({ secretKey: stripe.secretKey, apiBase: stripe.apiBase, prices: stripe.prices })
  const worker = openBillingWorker({ provider, events, subscriptions, accounts, clock, log }, everyMs)
  return {
    provider,
    worker,
    verify: (body, signature, now) => verifyEvent(body, signature, stripe.webhookSecrets, now),
    close: worker.close,
  }
}
