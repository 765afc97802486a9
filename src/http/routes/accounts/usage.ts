import { z } from 'zod'
import { type Catalog, PRODUCTS } from '../../../../catalog/index.ts'
import type { Gate } from '../../../access/index.ts'
import { type Account, billingPreview, type Control, usageWindow, WINDOW_FORM, WINDOWS } from '../../../accounts/index.ts'
import { type Clock, taipei } from '../../../core/index.ts'
import { datasetName, shaped } from '../../kernel/index.ts'
import { BillingPreview, UsageSummary } from './schemas.ts'
import { creditsView } from './views.ts'

export interface UsageParts {
  readonly control: Control
  readonly catalog: Catalog
  readonly gate: Gate
  readonly clock: Clock
}

const usageQuery = (catalog: Catalog) =>
  z.object({
    window: shaped(WINDOW_FORM, `must be one of ${WINDOWS.join(', ')}`, 'month', {
      doc: 'Days to sum up, in Taipei: today, 7d and 30d end today; month and last_month are calendar months, as is a month by its name.',
      example: '30d',
    }),
    dataset: datasetName(
      catalog,
      { doc: 'Sum up one dataset only, by its slug or its id, or search or query.', example: 'securities-firm-master' },
      PRODUCTS,
    ),
  })

export type UsageQuery = z.output<ReturnType<typeof usageQuery>>

/** What both summaries of usage declare: that of a key and that of a signed-in visitor. */
export const usageDeclared = (catalog: Catalog) => ({
  summary: 'Usage by day, dataset and key',
  summaryZh: '依日期、資料集與金鑰統計用量',
  description:
    'Reads of all keys of the account within a window of days in Taipei, beside the credits of the running period. Charged reads are there as soon as they are answered. Costs no credit.',
  query: usageQuery(catalog),
  answer: UsageSummary,
  example: { query: { window: '30d' } },
})

export const previewDeclared = (catalog: Catalog) => ({
  summary: 'What a window of days costs, as an estimate',
  summaryZh: '預估帳單',
  description:
    'The account’s subscriptions for a month, at the price their plan is sold at now, and a line a dataset that shows where its credits went. Who subscribed at a former price goes on paying that one. Credits come with the plan, so those lines add no money. Costs no credit.',
  query: usageQuery(catalog),
  answer: BillingPreview,
  example: { query: { window: 'month' } },
})

/** What the account used in a window, by day, dataset and key, beside the credits of the running period. */
export function usageSummary(account: Account, { control, gate, clock }: UsageParts, { window: name, dataset }: UsageQuery) {
  const window = usageWindow(name, clock())
  const { balance } = gate.quotaStatus({ accountId: account.id, plan: account.plan })
  return {
    window,
    plan_id: account.plan,
    ...control.usage.report(account.id, window, dataset),
    credits: creditsView(balance),
    as_of: taipei(clock()),
  }
}

/** What a window costs the account. */
export function preview(account: Account, { control, gate, clock }: UsageParts, { window: name, dataset }: UsageQuery) {
  const window = usageWindow(name, clock())
  const { balance } = gate.quotaStatus({ accountId: account.id, plan: account.plan })
  const used = control.usage.report(account.id, window, dataset)
  return billingPreview(account, window, used, balance, control.subscriptions.byAccount(account.id))
}
