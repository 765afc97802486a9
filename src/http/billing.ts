import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Account } from '../accounts/accounts.ts'
import type { Desk } from '../accounts/billing/open.ts'
import { isLive, type Subscription } from '../accounts/billing/subscriptions.ts'
import { taipei, taipeiDay } from '../core/clock.ts'
import { inputRefusal, Refusal } from '../core/errors.ts'
import { readInput } from './input.ts'
import { accountOf, PORTAL_PATH, type SelfServeParts } from './self-serve.ts'
import { keyView } from './views.ts'

export interface BillingRouteParts extends SelfServeParts {
  /** The way to the payment provider; null where none is configured. */
  readonly billing: Desk | null
  /** Origin that customers may be sent back to, for example `https://data.example`. */
  readonly origin: () => string
}

const Checkout = z.object({
  plan_id: z.enum(['pro', 'max']),
  success_url: z.string().max(2_000).optional(),
  cancel_url: z.string().max(2_000).optional(),
})
const Portal = z.object({ return_url: z.string().max(2_000).optional() })

/** Checkout, the customer portal, and a key for what was paid. The provider holds the card; prices are chosen here. */
export function billingRoutes(app: FastifyInstance, parts: BillingRouteParts): void {
  app.post('/v2/billing/checkout-session', async (request, reply) => {
    const account = accountOf(request, parts)
    const desk = deskOf(parts)
    const order = readInput(Checkout, request.body, 'body')
    const live = parts.control.subscriptions.of(account.id).find(isLive)
    if (live)
      throw new Refusal(
        'conflict',
        { subscription_id: live.id, portal_path: PORTAL_PATH },
        'This account has a live subscription; change it in the portal.',
      )
    const [successUrl, cancelUrl] = [backTo(parts, 'success_url', order.success_url), backTo(parts, 'cancel_url', order.cancel_url)]
    const idempotencyKey = `checkout-${account.id}-${order.plan_id}-${taipeiDay(parts.clock())}-${successUrl}-${cancelUrl}`.slice(0, 255)
    const { id: accountId, customerId, email } = account
    const session = await unlessDown(parts, request, () =>
      desk.provider.checkout({ accountId, customerId, email: email!, planId: order.plan_id, successUrl, cancelUrl, idempotencyKey }),
    )
    reply.header('cache-control', 'no-store')
    return { session_id: session.id, url: session.url, expires_at: taipei(session.expiresAt), plan_id: order.plan_id }
  })
  app.post(PORTAL_PATH, async (request, reply) => {
    const account = accountOf(request, parts)
    const desk = deskOf(parts)
    const { return_url: wanted } = readInput(Portal, request.body, 'body')
    const { customerId } = account
    if (customerId === null) throw new Refusal('no_customer')
    const returnUrl = backTo(parts, 'return_url', wanted)
    reply.header('cache-control', 'no-store')
    return { url: await unlessDown(parts, request, () => desk.provider.portal(customerId, returnUrl)) }
  })
  app.post<{ Params: { subscription_id: string } }>('/v2/billing/subscriptions/:subscription_id/api-key', async (request, reply) => {
    const account = accountOf(request, parts)
    const desk = deskOf(parts)
    const subscription = parts.control.subscriptions.get(request.params.subscription_id)
    if (subscription?.accountId !== account.id) throw new Refusal('unknown_id')
    await unlessDown(parts, request, () => desk.billing.syncSubscription(subscription.id))
    const fresh = parts.control.subscriptions.get(subscription.id)!
    if (!isLive(fresh)) throw new Refusal('subscription_not_active', { subscription_id: fresh.id, status: fresh.status })
    reply.header('cache-control', 'no-store')
    return keyFor(fresh, parts, request)
  })
}

/** @throws Refusal billing_unavailable where no provider is configured */
export function deskOf({ billing }: Pick<BillingRouteParts, 'billing'>): Desk {
  if (!billing) throw new Refusal('billing_unavailable')
  return billing
}

/** Where the provider sends the customer back to: only to our own site. @throws Refusal invalid_parameter */
function backTo({ origin }: BillingRouteParts, name: string, wanted: string | undefined): string {
  if (wanted === undefined) return `${origin()}/`
  const url = URL.canParse(wanted) ? new URL(wanted) : undefined
  if (url?.origin === origin() && url.username === '' && url.password === '') return url.href
  throw inputRefusal([{ loc: ['body', name], msg: `${name} must lie on ${origin()}`, type: 'url' }])
}

/** What the provider answers; its faults are a 503 that says to try again, and never its own words. */
async function unlessDown<T>({ log }: BillingRouteParts, request: FastifyRequest, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refusal) throw error
    log('failed', { request_id: request.id, during: 'asking the payment provider', error: error instanceof Error ? error.name : 'unknown' })
    throw new Refusal('billing_unavailable', { retry_after: 30 })
  }
}

/** The subscription's key, made once; asked again, the same one. A revoked one is replaced. */
function keyFor({ id }: Subscription, { control, clock, log }: BillingRouteParts, request: FastifyRequest) {
  const now = clock()
  const account: Account = control.accounts.byId(control.subscriptions.get(id)!.accountId, now)!
  const keyId = control.together(() => {
    const kept = control.subscriptions.keyOf(id)
    if (kept && control.keys.get(account.id, kept, now)?.status === 'active') return kept
    const issued = control.keys.issue(account.id, `subscription ${id}`.slice(0, 64), now)
    control.subscriptions.setKey(id, issued.keyId)
    control.audit.write(
      {
        actor: account.id,
        action: 'key issued',
        accountId: account.id,
        target: issued.keyId,
        requestId: request.id,
        facts: { subscription_id: id },
      },
      now,
    )
    log('key issued', { account: account.id, key: issued.keyId })
    return issued.keyId
  })
  return {
    subscription_id: id,
    ...keyView(control.keys.get(account.id, keyId, now)!, account),
    api_key: control.keys.reveal(account.id, keyId),
  }
}
