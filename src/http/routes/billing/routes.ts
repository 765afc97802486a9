import { z } from 'zod'
import { type BillingDeps, createBillingOperations, createIdempotentCall } from '../../../operations/index.ts'
import { type Endpoint, LONGEST_SIGNATURE, namedCall, REPEATABLE, type Route, route } from '../../kernel/index.ts'
import { SubscriptionKey } from '../accounts/schemas.ts'
import { CheckoutSession, EventReceipt, PortalSession } from './schemas.ts'

const COMMON = { group: 'billing', caller: 'self_serve_token' } as const

const returnAddress = (doc: string) =>
  z
    .string()
    .max(2_000)
    .optional()
    .meta({ description: `${doc} The URL must have the configured origin of this service. Default: the home page.` })

const CHECKOUT = {
  ...COMMON,
  caller: 'payer',
  summary: 'Create a checkout session',
  summaryZh: '建立付款頁面',
  description:
    'Creates a checkout session and returns the URL of the checkout page. The plan takes effect when the payment provider confirms the payment. Accounts with a live subscription change the subscription in the portal instead. If the checkout session has ended, repeating the call with the same `Idempotency-Key` returns 409, and `session_status` states whether the session was completed or has expired.',
  // By specification, other fields are ignored.
  body: z.object({
    plan_id: z
      .enum(['pro', 'max'])
      .optional()
      .meta({ description: 'Plan to purchase. Default: the plan above the current one.', example: 'pro' }),
    success_url: returnAddress('URL to which the customer returns after payment.'),
    cancel_url: returnAddress('URL to which the customer returns after cancelling.'),
  }),
  headers: REPEATABLE,
  answer: CheckoutSession,
  refusals: ['conflict', 'billing_unavailable'],
} satisfies Endpoint

const PORTAL = {
  ...COMMON,
  whileSuspended: true,
  summary: 'Create a portal session',
  summaryZh: '開啟訂閱管理頁面',
  description:
    'Returns the URL of a page of the payment provider, where the customer changes or cancels a subscription, replaces a card and reads invoices.',
  body: z.strictObject({
    return_url: returnAddress('URL to which the customer returns from the portal.'),
    subscription_id: z.string().optional().meta({
      description:
        'Id of the subscription to manage. Required only if the account has several customers at the payment provider. Default: the current subscription.',
    }),
  }),
  answer: PortalSession,
  refusals: ['no_customer', 'unknown_id', 'billing_unavailable'],
} satisfies Endpoint

const KEY = {
  ...COMMON,
  summary: 'Get the key of a subscription',
  summaryZh: '取得訂閱的金鑰',
  description:
    'Returns the API key of a subscription. The first call creates the key. Later calls return the same key, but only within 15 minutes of signing in and up to ten times an hour. A revoked key is replaced.',
  path: z.object({
    subscription_id: z.string().meta({ description: 'Id of a live subscription of the account.', example: 'sub_1AbCdEfGhIjKlMnO' }),
  }),
  answer: SubscriptionKey,
  refusals: ['unknown_id', 'subscription_not_active', 'reauth_required', 'integrity', 'billing_unavailable'],
} satisfies Endpoint

const SIGNED = `t=1782907200,v1=${'5257a869'.repeat(8)}`
const signature = (doc: string) => z.string().max(LONGEST_SIGNATURE).optional().meta({ description: doc, example: SIGNED })

const WEBHOOK = {
  group: 'billing',
  caller: 'payment_provider',
  summary: 'Receive an event of the payment provider',
  summaryZh: '接收金流服務的事件',
  description:
    'Receives an event of the payment provider. The signature of the raw body must be valid, and its time may differ from the current time by at most five minutes. The service stores each event once. To apply an event, the service reads the subscription from the provider, so the order and repetition of events do not matter. Events of other types are stored and ignored.',
  headers: z.object({
    'payment-signature': signature('Signature of the body, computed by the payment provider.'),
    'stripe-signature': signature(
      'Signature of the body, in the header that the payment provider uses. Either this header or `Payment-Signature` is required. If both are sent, their values must be equal.',
    ),
  }),
  body: z
    .looseObject({ id: z.string(), type: z.string(), created: z.union([z.int(), z.string()]), livemode: z.boolean() })
    .meta({ description: 'Event in the payment provider’s format.' }),
  answer: EventReceipt,
  refusals: ['invalid_signature', 'billing_unavailable'],
} satisfies Endpoint

export function billingRoutes(deps: BillingDeps): readonly Route<'payer' | 'self_serve_token' | 'payment_provider'>[] {
  const [billing, once] = [createBillingOperations(deps), createIdempotentCall(deps)]
  // Without a payment provider, the body does not matter.
  const checks = { beforeBody: billing.requireProvider }
  return [
    route(
      'POST /v2/billing/checkout-session',
      CHECKOUT,
      call => {
        const { accountId } = call.caller
        const named = namedCall(call, accountId, 'checkout-session')
        return once(
          named,
          () => ({ accountId, keyId: null }),
          () => billing.checkout(call.caller, call.body, call),
          answer => billing.requireOpen(call.caller, answer, call),
        )
      },
      checks,
    ),
    route('POST /v2/self-serve/billing/portal-session', PORTAL, call => billing.portal(call.caller, call.body, call), checks),
    route('POST /v2/billing/subscriptions/:subscription_id/api-key', KEY, call => billing.subscriptionKey(call.caller, call.params, call)),
    route('POST /v2/billing/webhook', WEBHOOK, ({ caller: event }) => billing.takeEvent(event)),
  ]
}
