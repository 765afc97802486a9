import type { PlanId } from '../../../catalog/index.ts'
import type { Account, KeyRecord } from '../../accounts/index.ts'
import { graceEnd, hasEnded, primarySubscription, type Subscription } from '../../billing/index.ts'
import type { Limits } from '../../core/index.ts'
import type { Balance } from '../../usage/index.ts'

export const PORTAL_PATH = '/v2/self-serve/billing/portal-session'

export const SIGN_IN_PATH = '/v2/self-serve/onboarding/start'

export const keyView = ({ keyId, name, last4, status, createdAt, lastUsedAt, expiresAt, revokedAt }: KeyRecord, plan: PlanId) => ({
  key_id: keyId,
  name,
  prefix: 'sk_live_' as const,
  last4,
  status,
  plan_id: plan,
  created_at: createdAt,
  last_used_at: lastUsedAt,
  expires_at: expiresAt,
  revoked_at: revokedAt,
})

export const creditsView = ({ period, included, granted, refunded, used, remaining, resetsAt }: Balance) => ({
  period,
  included,
  granted,
  refunded,
  used,
  remaining,
  resets_at: resetsAt,
})

export const limitsView = ({ rowLimit, requestsPerMinute, requestsAtOnce }: Limits) => ({
  row_limit: rowLimit,
  rate_limits: { requests_per_minute: requestsPerMinute, requests_at_once: requestsAtOnce },
})

export const standingView = ({ status, suspension }: Pick<Account, 'status' | 'suspension'>) => ({
  account_status: suspension && status === 'active' ? ('suspended' as const) : status,
  suspension: suspensionView(suspension),
})

export const suspensionView = (suspension: Account['suspension']) =>
  suspension && { reason: suspension.reason, suspended_at: suspension.at }

/** An ended subscription has no paid period. */
export function subscriptionView(subscription: Subscription) {
  const { id, status, planId, currentPeriodEnd, cancelAtPeriodEnd } = subscription
  return {
    subscription_id: id,
    status,
    plan_id: planId,
    cancel_at_period_end: cancelAtPeriodEnd,
    current_period_end: hasEnded(subscription) ? null : currentPeriodEnd,
    grace_ends_at: graceEnd(subscription),
  }
}

export const grantView = (grant: Account['grant']) => grant && { plan_id: grant.planId, expires_at: grant.expiresAt }

export const settingsView = ({ creditMails }: Pick<Account, 'creditMails'>) => ({ credit_mails: creditMails })

/** `subscription` is null if the account never had a subscription. */
export function accountView(account: Account, balance: Balance, subscriptions: readonly Subscription[]) {
  const primary = primarySubscription(subscriptions)
  return {
    account_id: account.id,
    email: account.email!,
    ...standingView(account),
    plan_id: account.plan,
    plan_source: account.planSource,
    grant: grantView(account.grant),
    created_at: account.createdAt,
    ...limitsView(account.limits),
    credits: creditsView(balance),
    settings: settingsView(account),
    subscription: primary ? subscriptionView(primary) : null,
    subscriptions: subscriptions.filter(one => !hasEnded(one)).map(subscriptionView),
  }
}
