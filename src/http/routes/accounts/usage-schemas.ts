import { z } from 'zod'
import { calendarDay, count, DATASET_NAMES, money, PlanName, timestamp } from '../../kernel/index.ts'
import { SUBSCRIPTION } from './schemas.ts'

const WindowCredits = z
  .object({
    period: z.string().meta({ description: 'The calendar month in Taipei the window ends in, YYYY-MM.', example: '2026-07' }),
    included: count('Credits that the plan in force now has for a period.'),
    used: count('Credits charged in all of that period, for all datasets; `totals` has those of the window.'),
    remaining: count('Credits of the period that can still be spent; 0 for a past period.'),
    resets_at: timestamp('When the period after it begins.'),
  })
  .meta({ id: 'WindowCredits', description: 'Credits of the period the window ends in; those of now in the default window.' })

const UsageWindow = z
  .object({
    name: z.string().meta({ description: 'The window as it was asked for.', example: 'month' }),
    start: calendarDay('First day, included.'),
    end: calendarDay('Last day, included.'),
    timezone: z.literal('Asia/Taipei'),
  })
  .meta({ id: 'UsageWindow' })

const TOTALS = {
  requests: count('Reads that were answered.'),
  credits: count('Credits charged for them.'),
  rows: count('Rows in those answers.'),
  errors: count('Reads that were refused or failed; none of them is charged.'),
}

export const UsageLedger = z
  .object({
    window: UsageWindow,
    row_count: count('Entries in this answer.'),
    next_before: z.string().nullable().meta({ description: 'Send it as `before` for the entries that follow; null where none do.' }),
    as_of: timestamp('When this was read.'),
    data: z
      .array(
        z
          .object({
            request_id: z.string().meta({ description: 'Names the answer, as its header `X-Request-Id` did.' }),
            at: timestamp('When the read was let in.'),
            ...DATASET_NAMES,
            key_id: z
              .string()
              .meta({ description: 'Key it was read with; one that begins with `browser_` stands for signed-in browsers.' }),
            credits: count('Credits charged.'),
            rows: count('Rows in the answer.'),
          })
          .meta({ id: 'UsageEntry' }),
      )
      .meta({ description: 'Newest first.' }),
  })
  .meta({ id: 'UsageLedger' })

export const UsageSummary = z
  .object({
    window: UsageWindow,
    plan_id: PlanName,
    totals: z.object(TOTALS).meta({ id: 'UsageTotals' }),
    by_day: z
      .array(z.object({ day: calendarDay('Day of the reads.'), ...TOTALS }).meta({ id: 'UsageOfDay' }))
      .meta({ description: 'Oldest day first; a day without a read is left out.' }),
    by_dataset: z.array(z.object({ ...DATASET_NAMES, ...TOTALS }).meta({ id: 'UsageOfDataset' })),
    by_key: z.array(
      z
        .object({ key_id: z.string().meta({ description: 'One that begins with `browser_` stands for signed-in browsers.' }), ...TOTALS })
        .meta({ id: 'UsageOfKey' }),
    ),
    credits: WindowCredits,
    as_of: timestamp('When this was counted.'),
  })
  .meta({ id: 'UsageSummary' })

const PlanLine = z
  .object({
    kind: z.literal('plan'),
    dataset: z.null(),
    slug: z.null(),
    quantity: count('Subscriptions that covered some of the window; 1 where there is none.'),
    unit_credits: z.null(),
    credits: z.null(),
    amount: money('Price of the time the subscriptions covered within the window.'),
  })
  .meta({ id: 'PlanLine' })

const UsageLine = z
  .object({
    kind: z.literal('usage'),
    ...DATASET_NAMES,
    quantity: count('Reads that were answered.'),
    unit_credits: z.number().min(0).meta({ description: 'Credits a read, the mean of the window.' }),
    credits: count('Credits charged.'),
    amount: money('Always 0: credits come with the plan.'),
  })
  .meta({ id: 'UsageLine' })

export const BillingPreview = z
  .object({
    window: UsageWindow,
    currency: z.literal('TWD'),
    is_estimate: z.literal(true).meta({ description: 'The payment provider’s invoice is what is owed.' }),
    plan: z.object({
      id: PlanName.meta({ description: 'The plan in force now.' }),
      base_amount: money(
        'Price of the time the account’s subscriptions covered within the window: of every billing period the share that lies in it, to the millisecond. Windows that adjoin add up to the price.',
      ),
    }),
    lines: z.array(z.discriminatedUnion('kind', [PlanLine, UsageLine])).meta({ description: 'The plan first, then a line a dataset.' }),
    credits: z.object({
      period: z.string().meta({ description: 'The calendar month in Taipei the window ends in, YYYY-MM.', example: '2026-07' }),
      included: count('Credits that the plan in force now has for a period.'),
      used: count('Credits charged in all of that period, for all datasets; the lines have those of the window.'),
      overage: count('Credits billed beyond the plan: 0, since reads stop when the credits are used up.'),
    }),
    subtotal: money('Sum of the lines.'),
    tax: z.null().meta({ description: 'Not known here; the payment provider adds it to the invoice.' }),
    total: money('What the window costs.'),
    next_invoice_at: timestamp('When the next invoice is due.')
      .nullable()
      .meta({ description: 'When the next invoice is due, RFC 3339, offset +08:00; null where none is to come.' }),
    subscription: z
      .object(SUBSCRIPTION)
      .meta({ id: 'BilledSubscription' })
      .nullable()
      .meta({ description: 'The live subscription of the highest plan; null where there is none.' }),
    subscriptions: z
      .array(
        z
          .object({ ...SUBSCRIPTION, amount: money('What it cost for the time it covered within the window.') })
          .meta({ id: 'SubscriptionCost' }),
      )
      .meta({ description: 'Every subscription that is live or covered some of the window. Their amounts add up to `plan.base_amount`.' }),
  })
  .meta({ id: 'BillingPreview' })
