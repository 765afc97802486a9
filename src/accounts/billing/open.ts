import type { Clock, Config, Log } from '../../core/index.ts'
import type { Control } from '../open.ts'
import { type Billing, openBilling } from './billing.ts'
import { openProvider, type Provider } from './stripe.ts'

/** The way to the payment provider. */
export interface Desk {
  readonly provider: Provider
  readonly billing: Billing
  /** Webhook secrets, the one in use first. */
  readonly secrets: readonly string[]
}

/** Opens billing where a provider is configured; null where none is. @param everyMs how often stored events are looked at; null for a single piece of work, which does nothing by itself */
export function openDesk(
  { stripe }: Pick<Config, 'stripe'>,
  control: Control,
  clock: Clock,
  log: Log,
  everyMs?: number | null,
): Desk | null {
  if (!stripe) return null
  const provider = openProvider({ secretKey: stripe.secretKey, apiBase: stripe.apiBase, prices: stripe.prices })
  const { paymentEvents: events, subscriptions, accounts } = control
  return {
    provider,
    billing: openBilling({ provider, events, subscriptions, accounts, clock, log }, everyMs),
    secrets: stripe.webhookSecrets,
  }
}
