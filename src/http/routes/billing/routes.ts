import { z } from 'zod'
import { type BillingDeps, createBillingOperations, createIdempotentCall } from '../../../operations/index.ts'
import { type Endpoint, LONGEST_SIGNATURE, namedCall, REPEATABLE, type Route, route } from '../../kernel/index.ts'
import { SubscriptionKey } from '../accounts/schemas.ts'
import { CheckoutSession, EventReceipt, PortalSession } from './schemas.ts'

const COMMON = { group: 'billing', caller: 'self_serve_token' } as const

/** An address the provider sends the customer back to. */
const returnAddress = (doc: string) =>
  z
    .string()
    .max(2_000)
    .optional()
    .meta({ description: `${doc} An address on the configured origin of this service; its first page when left out.` })

const CHECKOUT = {
  ...COMMON,
  caller: 'payer',
  summary: 'Begin to pay for a plan',
  summaryZh: '建立付款頁面',
  description:
    'Answers the payment provider’s page to send the customer to. The price is chosen here. The plan is in force once the provider says it is paid for; an account with a live subscription changes it in the portal instead. A page that is over is not answered again: the same call under its name is then refused with 409, and `session_status` says whether it was completed or has expired.',
  // Free-form by specification: what else it says is not looked at.
  body: z.object({
    plan_id: z
      .enum(['pro', 'max'])
      .optional()
      .meta({ description: 'The plan to pay for; the one above that of the account when left out.', example: 'pro' }),
    success_url: returnAddress('Where the customer comes back to after paying.'),
    cancel_url: returnAddress('Where the customer comes back to without paying.'),
  }),
  headers: REPEATABLE,
  answer: CheckoutSession,
  refusals: ['conflict', 'billing_unavailable'],
} satisfies Endpoint

const PORTAL = {
  ...COMMON,
  summary: 'Open the customer portal',
  summaryZh: '開啟訂閱管理頁面',
  description: 'Answers the payment provider’s page where a subscription is changed or cancelled, a card replaced and invoices read.',
  body: z.strictObject({
    return_url: returnAddress('Where the customer comes back to.'),
    subscription_id: z.string().optional().meta({
      description: 'A subscription of the account, where several customers pay for it: opens the portal of the one who pays for this.',
    }),
  }),
  answer: PortalSession,
  refusals: ['no_customer', 'unknown_id', 'billing_unavailable'],
} satisfies Endpoint

const KEY = {
  ...COMMON,
  summary: 'The key of a subscription',
  summaryZh: '取得訂閱的金鑰',
  description:
    'Issues the key once; asked again, shows the same one under the rules of revealing: within 15 minutes of signing in, ten times an hour. A revoked one is replaced.',
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
  summary: 'Take an event of the payment provider',
  summaryZh: '接收金流服務的事件',
  description:
    'The signature is checked over the bytes as they came, within five minutes of now. An event is stored once by its id, answered at once, and applied by reading the subscription anew, so order and repetition do not matter. Types that change nothing here are stored and ignored.',
  headers: z.object({
    'payment-signature': signature('The provider’s signature of the body.'),
    'stripe-signature': signature('The same under the provider’s own name. One of the two is needed; both have to be equal.'),
  }),
  body: z
    .looseObject({ id: z.string(), type: z.string(), created: z.union([z.int(), z.string()]), livemode: z.boolean() })
    .meta({ description: 'The event as the provider writes it.' }),
  answer: EventReceipt,
  refusals: ['invalid_signature', 'billing_unavailable'],
} satisfies Endpoint

/** Checkout, the customer portal, a key for what was paid, and the payment provider's events. */
export function billingRoutes(deps: BillingDeps): readonly Route<'payer' | 'self_serve_token' | 'payment_provider'>[] {
  const [billing, once] = [createBillingOperations(deps), createIdempotentCall(deps)]
  // Without a provider the refusal is billing_unavailable, whatever the body holds.
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
