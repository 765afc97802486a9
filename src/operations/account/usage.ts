import { type Catalog, PLANS, PRODUCTS } from '../../../catalog/index.ts'
import { type BilledAmounts, isLive, primarySubscription, type Subscription } from '../../billing/index.ts'
import { addDays, momentOf, nextMonth, taipei } from '../../core/index.ts'
import { type Balance, type UsageReport, type UsageWindow, usageWindow } from '../../usage/index.ts'
import { creditsView } from './account-views.ts'
import type { AccountCaller, AccountDeps } from './callers.ts'

export interface UsageInput {
  /** A name of `WINDOW_PATTERN`. */
  readonly window: string
  /** Slug of one dataset; null for all. */
  readonly dataset: string | null
}

/** What an account used and what it will be billed. */
export function createUsageOperations({ catalog, control, gate, clock }: AccountDeps & { readonly catalog: Catalog }) {
  const named = createNaming(catalog)
  /** Credits of the period a window ends in: the balance of the running one; of one that is over nothing can be spent. */
  const balanceAt = (caller: AccountCaller, { end }: UsageWindow): Balance => {
    const { balance } = gate.quotaStatus(caller)
    const period = end.slice(0, 7)
    if (period === balance.period) return balance
    const used = control.ledger.used(caller.accountId, period)
    const remaining = period < balance.period ? 0 : Math.max(0, balance.limit - used)
    return { period, limit: balance.limit, used, remaining, resetsAt: taipei(nextMonth(momentOf(end)!)) }
  }
  return {
    /** Reads of a window by day, dataset and key, with the credits of the period it ends in. */
    summary(caller: AccountCaller, { window: name, dataset }: UsageInput) {
      const window = usageWindow(name, clock())
      return {
        window,
        plan_id: caller.plan,
        ...named(control.usage.report(caller.accountId, window, dataset)),
        credits: creditsView(balanceAt(caller, window)),
        as_of: taipei(clock()),
      }
    },
    /** What a window costs, as an estimate. */
    preview(caller: AccountCaller, { window: name, dataset }: UsageInput) {
      const { accountId } = caller
      const window = usageWindow(name, clock())
      const used = named(control.usage.report(accountId, window, dataset))
      const billed = control.subscriptions.billedBetween(accountId, momentOf(window.start)!, momentOf(addDays(window.end, 1))!)
      return billingPreview(caller, window, used, balanceAt(caller, window), billed, control.subscriptions.byAccount(accountId))
    },
  }
}

/** A report whose datasets have both of their names. */
type NamedReport = Omit<UsageReport, 'by_dataset'> & {
  readonly by_dataset: readonly (UsageReport['by_dataset'][number] & { readonly slug: string })[]
}

/** Usage is kept under slugs; answers name a dataset by its id, with the slug beside it. One that is sold no more keeps the id its slug makes. */
export function idsBySlug(catalog: Catalog): (slug: string) => string {
  const ids = new Map([...catalog.values(), ...PRODUCTS].map(({ slug, id }) => [slug, id]))
  return slug => ids.get(slug) ?? slug.replaceAll('-', '_')
}

function createNaming(catalog: Catalog): (report: UsageReport) => NamedReport {
  const idOf = idsBySlug(catalog)
  return report => ({
    ...report,
    by_dataset: report.by_dataset.map(({ dataset: slug, ...sums }) => ({ dataset: idOf(slug), slug, ...sums })),
  })
}

export type UsageOperations = ReturnType<typeof createUsageOperations>

/**
 * What a window costs: of every subscription the share of its price for the time it covered within the window, and a line a dataset that
 * shows what its credits were. Credits come with the plan, so their lines add no money; a plan that was granted is free of charge and ends
 * no subscription. Amounts are integer minor units, before tax.
 */
function billingPreview(
  { plan }: AccountCaller,
  window: UsageWindow,
  { by_dataset: used }: NamedReport,
  { period, used: credits }: Balance,
  { amount: base, bySubscription }: BilledAmounts,
  subscriptions: readonly Subscription[],
) {
  const live = subscriptions.filter(isLive)
  const shown = primarySubscription(live)
  return {
    window,
    currency: PLANS[plan].price.currency,
    is_estimate: true as const,
    plan: { id: plan, base_amount: base },
    lines: [planLine(bySubscription.size, base), ...usageLines(used)],
    credits: { period, included: PLANS[plan].creditsPerMonth, used: credits, overage: 0 },
    subtotal: base,
    tax: null,
    total: base,
    next_invoice_at: live.find(({ cancelAtPeriodEnd }) => !cancelAtPeriodEnd)?.currentPeriodEnd ?? null,
    subscription: shown ? subscriptionView(shown) : null,
    subscriptions: subscriptions
      .filter(one => isLive(one) || bySubscription.has(one.id))
      .map(one => ({ ...subscriptionView(one), amount: bySubscription.get(one.id) ?? 0 })),
  }
}

const planLine = (subscriptions: number, amount: number) => ({
  kind: 'plan' as const,
  dataset: null,
  slug: null,
  quantity: Math.max(1, subscriptions),
  unit_credits: null,
  credits: null,
  amount,
})

const usageLines = (used: NamedReport['by_dataset']) =>
  used
    .filter(({ requests }) => requests > 0)
    .map(({ dataset, slug, requests, credits }) => ({
      kind: 'usage' as const,
      dataset,
      slug,
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
