import type { Clock, Config, Log } from '../../core/index.ts'
import type { Control } from '../control.ts'
import { openProvider, type Provider } from './stripe.ts'
import { type BillingWorker, openBillingWorker } from './worker.ts'

/** The way to the payment provider. */
export interface Billing {
  readonly provider: Provider
  readonly worker: BillingWorker
  /** Webhook secrets, the one in use first. */
  readonly webhookSecrets: readonly string[]
  /** Stops the worker and breaks off calls to the provider. */
  close(): Promise<void>
}

/** Opens billing where a provider is configured; null where none is. @param everyMs how often stored events are looked at; null for a single piece of work, which does nothing by itself */
export function openBilling(
  { stripe }: Pick<Config, 'stripe'>,
  control: Control,
  clock: Clock,
  log: Log,
  everyMs?: number | null,
): Billing | null {
  if (!stripe) return null
  const provider = openProvider({ secretKey: stripe.secretKey, apiBase: stripe.apiBase, prices: stripe.prices })
  const { paymentEvents: events, subscriptions, accounts } = control
  const worker = openBillingWorker({ provider, events, subscriptions, accounts, clock, log }, everyMs)
  return { provider, worker, webhookSecrets: stripe.webhookSecrets, close: worker.close }
}
