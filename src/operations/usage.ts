import { PLANS } from '../../catalog/index.ts'
import {
  type Balance,
  isLive,
  primarySubscription,
  type Subscription,
  type UsageReport,
  type UsageWindow,
  usageWindow,
} from '../accounts/index.ts'
import { taipei } from '../core/index.ts'
import { creditsView } from './account-views.ts'
import type { AccountCaller, AccountDeps } from './callers.ts'

export interface UsageInput {
  /** A name of `WINDOW_FORM`. */
  readonly window: string
  /** Slug of one dataset; null for all. */
  readonly dataset: string | null
}

/** What an account used and what it will be billed. */
export function createUsageOperations({ control, gate, clock }: AccountDeps) {
  return {
    /** Reads of a window by day, dataset and key, with the credits of the running period. */
    summary(caller: AccountCaller, { window: name, dataset }: UsageInput) {
      const window = usageWindow(name, clock())
      const { balance } = gate.quotaStatus(caller)
      return {
        window,
        plan_id: caller.plan,
        ...control.usage.report(caller.accountId, window, dataset),
        credits: creditsView(balance),
        as_of: taipei(clock()),
      }
    },
    /** What a window costs, as an estimate. */
    preview(caller: AccountCaller, { window: name, dataset }: UsageInput) {
      const window = usageWindow(name, clock())
      const { balance } = gate.quotaStatus(caller)
      const used = control.usage.report(caller.accountId, window, dataset)
      return billingPreview(caller, window, used, balance, control.subscriptions.byAccount(caller.accountId))
    },
  }
}

export type UsageOperations = ReturnType<typeof createUsageOperations>

/**
 * What a window costs: the price of every subscription, and a line a dataset that shows what its credits were. Credits come with the
 * plan, so their lines add no money; a plan that was granted is free of charge and ends no subscription. Amounts are integer minor
 * units, before tax.
 */
function billingPreview(
  { plan }: AccountCaller,
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
    currency: PLANS[plan].price.currency,
    is_estimate: true as const,
    plan: { id: plan, base_amount: base },
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
  kind: 'plan' as const,
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
      kind: 'usage' as const,
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
