import { PLANS } from '../../catalog/plans.ts'
import type { Account } from './accounts.ts'
import { isLive, type Subscription } from './billing/subscriptions.ts'
import type { Balance } from './credits.ts'
import type { UsageReport } from './usage.ts'
import type { UsageWindow } from './usage-window.ts'

/**
 * What a window costs: the plan's price, and a line a dataset that shows what its credits were. Credits come with the plan, so their
 * lines add no money; a plan that was granted is free of charge. Amounts are integer minor units, before tax.
 */
export function billingPreview(
  account: Account,
  window: UsageWindow,
  { by_dataset: used }: UsageReport,
  balance: Balance,
  subscriptions: readonly Subscription[],
) {
  const { price } = PLANS[account.plan]
  const live = subscriptions.find(isLive)
  const base = account.planSource === 'subscription' ? price.amount : 0
  const plan = { kind: 'plan', dataset: null, quantity: 1, unit_credits: null, credits: null, amount: base }
  const usage = used
    .filter(({ requests }) => requests > 0)
    .map(({ dataset, requests, credits }) => ({
      kind: 'usage',
      dataset,
      quantity: requests,
      unit_credits: credits / requests,
      credits,
      amount: 0,
    }))
  return {
    window,
    currency: price.currency,
    is_estimate: true,
    plan: { id: account.plan, base_amount: base },
    lines: [plan, ...usage],
    credits: { included: balance.limit, used: balance.used, overage: 0 },
    subtotal: base,
    tax: null,
    total: base,
    next_invoice_at: live && !live.cancelAtPeriodEnd ? live.currentPeriodEnd : null,
    subscription: live
      ? { subscription_id: live.id, status: live.status, plan_id: live.planId, cancel_at_period_end: live.cancelAtPeriodEnd }
      : null,
  }
}
