import type Stripe from 'stripe'
import type { PlanId } from '../../../catalog/index.ts'

/** A customer's wish to pay for a plan. */
export interface CheckoutOrder {
  readonly accountId: string
  readonly email: string
  readonly customerId: string | null
  readonly planId: Exclude<PlanId, 'free'>
  readonly successUrl: string
  readonly cancelUrl: string
  /** One order, however often it is sent. */
  readonly idempotencyKey: string
}

/** What the provider is asked for: a subscription at a price, which names the account it is for wherever it is read again. */
export const sessionOf = (
  { accountId, email, customerId, successUrl, cancelUrl }: CheckoutOrder,
  price: string,
): Stripe.Checkout.SessionCreateParams => ({
  mode: 'subscription',
  line_items: [{ price, quantity: 1 }],
  client_reference_id: accountId,
  metadata: { account_id: accountId },
  subscription_data: { metadata: { account_id: accountId } },
  success_url: successUrl,
  cancel_url: cancelUrl,
  ...(customerId ? { customer: customerId } : { customer_email: email }),
})
