import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type Account, bringsPlan, type Subscription } from '../../../accounts/index.ts'
import { Refusal } from '../../../core/index.ts'
import { type Endpoint, pathValue, visitorCall } from '../../kernel/index.ts'
import { reveal } from '../accounts/reveal.ts'
import { SubscriptionKey } from '../accounts/schemas.ts'
import { keyView } from '../accounts/views.ts'
import { type BillingRouteParts, billingOf, unlessDown } from './desk.ts'

const KEY = {
  group: 'billing',
  caller: 'self_serve_token',
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

/** The key of what was paid for. */
export function subscriptionKeyRoute(app: FastifyInstance, parts: BillingRouteParts): void {
  visitorCall(app, parts, ['POST', '/v2/billing/subscriptions/:subscription_id/api-key'], KEY, async ({ account, request }) => {
    const billing = billingOf(parts)
    const subscription = parts.control.subscriptions.get(pathValue(request, 'subscription_id'))
    if (subscription?.accountId !== account.id) throw new Refusal('unknown_id')
    if (!(await unlessDown(parts, request, () => billing.worker.syncSubscription(subscription.id)))) throw new Refusal('unknown_id')
    const fresh = parts.control.subscriptions.get(subscription.id)!
    if (!bringsPlan(fresh, parts.clock())) throw new Refusal('subscription_not_active', { subscription_id: fresh.id, status: fresh.status })
    return keyFor(fresh, parts, request)
  })
}

/** The subscription's key, made once; asked again, the same one, under the rules of showing a key. A revoked one is replaced. */
function keyFor({ id, accountId }: Subscription, parts: BillingRouteParts, request: FastifyRequest) {
  const { control, clock } = parts
  const account = control.accounts.byId(accountId, clock())
  // It may have been closed while the provider was asked.
  if (account?.status !== 'active') throw new Refusal('account_closed')
  const kept = control.subscriptions.keyOf(id)
  const key = kept === null ? undefined : control.keys.get(accountId, kept, clock())
  if (key?.status !== 'active') return { subscription_id: id, ...issueFor(id, account, parts, request.id) }
  return { subscription_id: id, ...keyView(key, account), api_key: reveal(parts, accountId, key, request).api_key }
}

function issueFor(subscription: string, account: Account, { control, clock, log }: BillingRouteParts, requestId: string) {
  const now = clock()
  const { keyId, secret } = control.transaction(() => {
    const issued = control.keys.issue(account.id, `subscription ${subscription}`.slice(0, 64), now)
    control.subscriptions.setKey(subscription, issued.keyId)
    const entry = { actor: account.id, action: 'key issued', accountId: account.id, target: issued.keyId, requestId } as const
    control.audit.write({ ...entry, facts: { subscription_id: subscription } }, now)
    return issued
  })
  log('key issued', { account: account.id, key: keyId })
  return { ...keyView(control.keys.get(account.id, keyId, now)!, account), api_key: secret }
}
