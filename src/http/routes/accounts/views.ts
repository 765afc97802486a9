import { PLANS } from '../../../../catalog/index.ts'
import { type Account, type Balance, type KeyRecord, primarySubscription, type Subscription } from '../../../accounts/index.ts'

/** A key as its owner sees it; the secret is added only where it is issued or revealed. */
export const keyView = (
  { keyId, name, last4, status, createdAt, lastUsedAt, expiresAt, revokedAt }: KeyRecord,
  { plan }: Pick<Account, 'plan'>,
) => ({
  key_id: keyId,
  name,
  prefix: 'sk_live_',
  last4,
  status,
  plan_id: plan,
  created_at: createdAt,
  last_used_at: lastUsedAt,
  expires_at: expiresAt,
  revoked_at: revokedAt,
})

export const creditsView = ({ period, limit, used, remaining, resetsAt }: Balance) => ({
  period,
  included: limit,
  used,
  remaining,
  resets_at: resetsAt,
})

export const limitsView = ({ plan }: Pick<Account, 'plan'>) => ({
  row_limit: PLANS[plan].rowLimit,
  rate_limits: { requests_per_minute: PLANS[plan].requestsPerMinute, requests_at_once: PLANS[plan].requestsAtOnce },
})

/** The subscription that is shown of an account; null where there never was one. */
function subscriptionView(subscriptions: readonly Subscription[]) {
  const chosen = primarySubscription(subscriptions)
  if (!chosen) return null
  const { id, status, planId, currentPeriodEnd, cancelAtPeriodEnd } = chosen
  return { subscription_id: id, status, plan_id: planId, current_period_end: currentPeriodEnd, cancel_at_period_end: cancelAtPeriodEnd }
}

export const accountView = (account: Account, balance: Balance, subscriptions: readonly Subscription[]) => ({
  account_id: account.id,
  email: account.email,
  account_status: account.status,
  plan_id: account.plan,
  plan_source: account.planSource,
  created_at: account.createdAt,
  ...limitsView(account),
  credits: creditsView(balance),
  subscription: subscriptionView(subscriptions),
})
