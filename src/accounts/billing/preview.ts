import { PLANS } from '../../../catalog/index.ts'
import type { Account } from '../accounts.ts'
import type { Balance } from '../usage/credits.ts'
import type { UsageReport } from '../usage/report.ts'
import type { UsageWindow } from '../usage/usage-window.ts'
import { isLive, primarySubscription, type Subscription } from './subscription.ts'

/**
 * What a window costs: the price of every subscription, and a line a dataset that shows what its credits were. Credits come with the
 * plan, so their lines add no money; a plan that was granted is free of charge and ends no subscription. Amounts are integer minor
 * units, before tax.
 */
export function billingPreview(
  account: Account,
  window: UsageWindow,
  { by_dataset: used }: UsageReport,
  balance: Balance,
  subscriptions: readonly Subscription[],
) {
  const live = subscriptions.filter(isLive)
  const shown = primarySubscription(live)
  const base = live.reduce((sum, { planId }) => sum + PLANS[planId].price.amount, 0)
  return {
    window,
    currency: PLANS[account.plan].price.currency,
    is_estimate: true,
    plan: { id: account.plan, base_amount: base },
    lines: [planLine(live.length, base), ...usageLines(used)],
    credits: { included: balance.limit, used: balance.used, overage: 0 },
    subtotal: base,
    tax: null,
    total: base,
    next_invoice_at: live.find(({ cancelAtPeriodEnd }) => !cancelAtPeriodEnd)?.currentPeriodEnd ?? null,
    subscription: shown ? subscriptionView(shown) : null,
  }
}

const planLine = (subscriptions: number, amount: number) => ({
  kind: 'plan',
  dataset: null,
  quantity: Math.max(1, subscriptions),
  unit_credits: null,
  credits: null,
  amount,
})

const usageLines = (used: UsageReport['by_dataset']) =>
  used
    .filter(({ requests }) => requests > 0)
    .map(({ dataset, requests, credits }) => ({
      kind: 'usage',
      dataset,
      quantity: requests,
      unit_credits: credits / requests,
      credits,
      amount: 0,
    }))

const subscriptionView = ({ id, status, planId, cancelAtPeriodEnd }: Subscription) => ({
  subscription_id: id,
  status,
  plan_id: planId,
  cancel_at_period_end: cancelAtPeriodEnd,
})
