import { type Catalog, PLANS, PRODUCTS } from '../../../catalog/index.ts'
import { type BilledAmounts, isLive, primarySubscription, type Subscription } from '../../billing/index.ts'
import { addDays, momentOf, nextMonth, taipei } from '../../core/index.ts'
import { type Balance, type UsageReport, type UsageWindow, usageWindow } from '../../usage/index.ts'
import { creditsView } from './account-views.ts'
import type { AccountCaller, AccountDeps } from './callers.ts'

export interface UsageInput {
  /** Matches `WINDOW_PATTERN`. */
  readonly window: string
  /** Slug. Null for all datasets. */
  readonly dataset: string | null
}

export function createUsageOperations({ catalog, control, gate, clock }: AccountDeps & { readonly catalog: Catalog }) {
  const withIds = createIdResolver(catalog)
  /**
   * Returns the credits of the month in which a window ends. A past month has no remaining credits.
   */
  const balanceAt = (caller: AccountCaller, { end }: UsageWindow): Balance => {
    const { balance } = gate.quotaStatus(caller)
    const period = end.slice(0, 7)
    if (period === balance.period) return balance
    const { included } = balance
    const { granted, refunded } = control.creditEntries.ofPeriod(caller.accountId, period)
    const limit = included + granted + refunded
    const used = control.ledger.used(caller.accountId, period)
    const remaining = period < balance.period ? 0 : Math.max(0, limit - used)
    return { period, included, granted, refunded, limit, used, remaining, resetsAt: taipei(nextMonth(momentOf(end)!)) }
  }
  return {
    /** Returns sums of all reads in a window by day, dataset and key. */
    summary(caller: AccountCaller, { window: name, dataset }: UsageInput) {
      const window = usageWindow(name, clock())
      const { totals, ...sums } = withIds(control.usage.report(caller.accountId, window, dataset))
      return {
        window,
        plan_id: caller.plan,
        totals: { ...totals, ...control.creditEntries.between(caller.accountId, window, dataset) },
        ...sums,
        credits: creditsView(balanceAt(caller, window)),
        as_of: taipei(clock()),
      }
    },
    preview(caller: AccountCaller, { window: name, dataset }: UsageInput) {
      const { accountId } = caller
      const window = usageWindow(name, clock())
      const used = withIds(control.usage.report(accountId, window, dataset))
      const billed = control.subscriptions.billedBetween(accountId, momentOf(window.start)!, momentOf(addDays(window.end, 1))!)
      return billingPreview(caller, window, used, balanceAt(caller, window), billed, control.subscriptions.byAccount(accountId))
    },
  }
}

type NamedReport = Omit<UsageReport, 'by_dataset'> & {
  readonly by_dataset: readonly (UsageReport['by_dataset'][number] & { readonly slug: string })[]
}

/** Returns a function that converts slugs to ids. Also supports former datasets. */
export function idsBySlug(catalog: Catalog): (slug: string) => string {
  const ids = new Map([...catalog.values(), ...PRODUCTS].map(({ slug, id }) => [slug, id]))
  return slug => ids.get(slug) ?? slug.replaceAll('-', '_')
}

function createIdResolver(catalog: Catalog): (report: UsageReport) => NamedReport {
  const idOf = idsBySlug(catalog)
  return report => ({
    ...report,
    by_dataset: report.by_dataset.map(({ dataset: slug, ...sums }) => ({ dataset: idOf(slug), slug, ...sums })),
  })
}

export type UsageOperations = ReturnType<typeof createUsageOperations>

/**
 * Estimates the cost of a window before tax, in minor units (such as cents). The cost of a
 * subscription is proportional to time.
 */
function billingPreview(
  { plan }: AccountCaller,
  window: UsageWindow,
  { by_dataset: reads }: NamedReport,
  { period, included, granted, refunded, used }: Balance,
  { amount: base, bySubscription }: BilledAmounts,
  subscriptions: readonly Subscription[],
) {
  const live = subscriptions.filter(isLive)
  const primary = primarySubscription(live)
  return {
    window,
    currency: PLANS[plan].price.currency,
    is_estimate: true as const,
    plan: { id: plan, base_amount: base },
    lines: [planLine(bySubscription.size, base), ...usageLines(reads)],
    credits: { period, included, granted, refunded, used, overage: 0 },
    subtotal: base,
    tax: null,
    total: base,
    next_invoice_at: live.find(({ cancelAtPeriodEnd }) => !cancelAtPeriodEnd)?.currentPeriodEnd ?? null,
    subscription: primary ? subscriptionView(primary) : null,
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
