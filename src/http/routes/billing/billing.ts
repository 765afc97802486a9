import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type Account, type CheckoutOrder, isLive } from '../../../accounts/index.ts'
import { inputRefusal, Refusal, taipei, taipeiDay } from '../../../core/index.ts'
import { type Endpoint, readInput, visitorCall } from '../../kernel/index.ts'
import { PORTAL_PATH } from '../accounts/self-serve.ts'
import { type BillingRouteParts, billingOf, unlessDown } from './desk.ts'
import { CheckoutSession, PortalSession } from './schemas.ts'
import { subscriptionKeyRoute } from './subscription-key.ts'

const COMMON = { group: 'billing', caller: 'self_serve_token' } as const
const OWN_SITE = 'An address on the configured origin of this service; its first page when left out.'

const CHECKOUT = {
  ...COMMON,
  summary: 'Begin to pay for a plan',
  summaryZh: '建立付款頁面',
  description:
    'Answers the payment provider’s page to send the customer to. The price is chosen here. The plan is in force once the provider says it is paid for; an account with a live subscription changes it in the portal instead.',
  body: z.object({
    plan_id: z.enum(['pro', 'max']).meta({ description: 'The plan to pay for.', example: 'pro' }),
    success_url: z
      .string()
      .max(2_000)
      .optional()
      .meta({ description: `Where the customer comes back to after paying. ${OWN_SITE}` }),
    cancel_url: z
      .string()
      .max(2_000)
      .optional()
      .meta({ description: `Where the customer comes back to without paying. ${OWN_SITE}` }),
  }),
  answer: CheckoutSession,
  refusals: ['conflict', 'billing_unavailable'],
} satisfies Endpoint

const PORTAL = {
  ...COMMON,
  summary: 'Open the customer portal',
  summaryZh: '開啟訂閱管理頁面',
  description: 'Answers the payment provider’s page where a subscription is changed or cancelled, a card replaced and invoices read.',
  body: z.object({
    return_url: z
      .string()
      .max(2_000)
      .optional()
      .meta({ description: `Where the customer comes back to. ${OWN_SITE}` }),
  }),
  answer: PortalSession,
  refusals: ['no_customer', 'billing_unavailable'],
} satisfies Endpoint

/** Checkout, the customer portal, and a key for what was paid. The provider holds the card; prices are chosen here. */
export function billingRoutes(app: FastifyInstance, parts: BillingRouteParts): void {
  visitorCall(app, parts, ['POST', '/v2/billing/checkout-session'], CHECKOUT, ({ account, request }) => checkout(account, parts, request))
  visitorCall(app, parts, ['POST', PORTAL_PATH], PORTAL, async ({ account: { customerId }, request }) => {
    const billing = billingOf(parts)
    const { return_url: wanted } = readInput(PORTAL.body, request.body, 'body')
    if (customerId === null) throw new Refusal('no_customer')
    const returnUrl = backTo(parts, 'return_url', wanted)
    return { url: await unlessDown(parts, request, () => billing.provider.portal(customerId, returnUrl)) }
  })
  subscriptionKeyRoute(app, parts)
}

async function checkout({ id: accountId, customerId, email }: Account, parts: BillingRouteParts, request: FastifyRequest) {
  const billing = billingOf(parts)
  const order = readInput(CHECKOUT.body, request.body, 'body')
  const live = parts.control.subscriptions.byAccount(accountId).find(isLive)
  if (live)
    throw new Refusal(
      'conflict',
      { subscription_id: live.id, portal_path: PORTAL_PATH },
      'This account has a live subscription; change it in the portal.',
    )
  const [successUrl, cancelUrl] = [backTo(parts, 'success_url', order.success_url), backTo(parts, 'cancel_url', order.cancel_url)]
  const wanted = { accountId, customerId, email: email!, planId: order.plan_id, successUrl, cancelUrl }
  const idempotencyKey = orderKey(wanted, parts)
  const session = await unlessDown(parts, request, () => billing.provider.checkout({ ...wanted, idempotencyKey }))
  // It may have been closed while the provider was asked; nobody may pay for it then.
  if (parts.control.accounts.byId(accountId, parts.clock())?.status !== 'active') throw new Refusal('account_closed')
  return { session_id: session.id, url: session.url, expires_at: taipei(session.expiresAt), plan_id: order.plan_id }
}

/** The same for an order sent again within the day; another one once the account has subscribed in between. */
function orderKey(order: Omit<CheckoutOrder, 'idempotencyKey'>, { control, clock }: BillingRouteParts): string {
  const before = control.subscriptions.byAccount(order.accountId).map(({ id }) => id)
  return `checkout-${createHash('sha256')
    .update(JSON.stringify([order, before, taipeiDay(clock())]))
    .digest('hex')}`
}

/** Where the provider sends the customer back to: only to our own site. @throws Refusal invalid_parameter */
function backTo({ origin }: BillingRouteParts, name: string, wanted: string | undefined): string {
  if (wanted === undefined) return `${origin()}/`
  const url = URL.canParse(wanted) ? new URL(wanted) : undefined
  if (url?.origin === origin() && url.username === '' && url.password === '') return url.href
  throw inputRefusal([{ loc: ['body', name], msg: `${name} must lie on ${origin()}`, type: 'url' }])
}
