import { z } from 'zod'
import { calendarDay, count, DATASET_NAMES, money, PlanName, timestamp } from '../../kernel/index.ts'
import { SUBSCRIPTION } from './schemas.ts'

const GIVEN = {
  granted: count('Credits that the operator granted in addition to the credits of the plan.'),
  refunded: count('Credits of refunded reads. Refunded credits can be used again.'),
}

const WindowCredits = z
  .object({
    period: z.string().meta({ description: 'Calendar month in Taipei in which the window ends, YYYY-MM.', example: '2026-07' }),
    included: count('Credits that the current plan includes per period.'),
    ...GIVEN,
    used: count('Credits charged for all datasets in the whole calendar month. `totals` has only the credits within the window.'),
    remaining: count('Remaining credits of the period. 0 for a past period.'),
    resets_at: timestamp('Start of the next period.'),
  })
  .meta({
    id: 'WindowCredits',
    description: 'Credits of the calendar month in which the window ends. For the default window, this is the current month.',
  })

const UsageWindow = z
  .object({
    name: z.string().meta({ description: 'Name of the requested window.', example: 'month' }),
    start: calendarDay('First day of the window, inclusive.'),
    end: calendarDay('Last day of the window, inclusive.'),
    timezone: z.literal('Asia/Taipei'),
  })
  .meta({ id: 'UsageWindow' })

const TOTALS = {
  requests: count('Number of successful reads.'),
  credits: count('Credits charged for successful reads.'),
  rows: count('Rows in the responses to successful reads.'),
  errors: count('Number of refused or failed reads, which are not charged.'),
}

const GIVEN_IN_WINDOW = {
  granted: count('Credits granted by the operator within the window. 0 for a single dataset.'),
  refunded: count('Credits refunded by the operator within the window.'),
}

export const UsageLedger = z
  .object({
    window: UsageWindow,
    row_count: count('Number of entries in this response.'),
    data_count: count('Number of entries in this response, equal to `row_count`.'),
    next_before: z.string().nullable().meta({ description: 'Value of `before` for the next page. Null on the last page.' }),
    as_of: timestamp('Time of this response.'),
    data: z
      .array(
        z
          .object({
            request_id: z.string().meta({
              description:
                'Id of the charged request, as in the header `X-Request-Id` of the response. For a grant or refund, this is the id of the entry.',
            }),
            at: timestamp('Start time of the read, or time of the grant or refund.'),
            dataset: z.string().meta({
              description: 'Id of the dataset, as in responses. The value is `credits` for a grant.',
              example: 'bond_yield_curve',
            }),
            slug: z
              .string()
              .meta({ description: 'Name of the dataset in paths. The value is `credits` for a grant.', example: 'bond-yield-curve' }),
            key_id: z.string().nullable().meta({
              description: 'Id of the key that read. Ids of signed-in browsers start with `browser_`. Null for a grant.',
            }),
            credits: count('Credits charged. 0 for a grant or refund.'),
            rows: count('Rows in the response. 0 for a grant or refund.'),
            kind: z.enum(['use', 'grant', 'refund']).meta({
              description: '`use`: a charged read. `grant`: credits granted by the operator. `refund`: the refunded price of a read.',
            }),
            credited: count('Credits granted or refunded. 0 for a read.'),
            reason: z.string().nullable().meta({ description: 'Reason for the grant or refund. Null for a read.' }),
            refunded_request_id: z
              .string()
              .nullable()
              .meta({ description: 'Request id of the refunded read. Null if the entry is not a refund.' }),
          })
          .meta({ id: 'UsageEntry' }),
      )
      .meta({ description: 'Ledger entries, newest first.' }),
  })
  .meta({ id: 'UsageLedger' })

export const UsageSummary = z
  .object({
    window: UsageWindow,
    plan_id: PlanName,
    totals: z.object({ ...TOTALS, ...GIVEN_IN_WINDOW }).meta({ id: 'UsageTotals' }),
    by_day: z
      .array(z.object({ day: calendarDay('Day of the reads.'), ...TOTALS }).meta({ id: 'UsageOfDay' }))
      .meta({ description: 'Usage by day, oldest day first. Days without reads are omitted.' }),
    by_dataset: z.array(z.object({ ...DATASET_NAMES, ...TOTALS }).meta({ id: 'UsageOfDataset' })),
    by_key: z.array(
      z
        .object({
          key_id: z.string().meta({ description: 'Id of the key. Ids of signed-in browsers start with `browser_`.' }),
          ...TOTALS,
        })
        .meta({ id: 'UsageOfKey' }),
    ),
    credits: WindowCredits,
    as_of: timestamp('Time of this response.'),
  })
  .meta({ id: 'UsageSummary' })

const PlanLine = z
  .object({
    kind: z.literal('plan'),
    dataset: z.null(),
    slug: z.null(),
    quantity: count('Number of subscriptions that cover part of the window. 1 if no subscription does.'),
    unit_credits: z.null(),
    credits: z.null(),
    amount: money('Cost of all subscriptions within the window, pro rata.'),
  })
  .meta({ id: 'PlanLine' })

const UsageLine = z
  .object({
    kind: z.literal('usage'),
    ...DATASET_NAMES,
    quantity: count('Number of successful reads.'),
    unit_credits: z.number().min(0).meta({ description: 'Mean number of credits per read within the window.' }),
    credits: count('Credits charged.'),
    amount: money('Always 0: credits are included in the plan.'),
  })
  .meta({ id: 'UsageLine' })

export const BillingPreview = z
  .object({
    window: UsageWindow,
    currency: z.literal('TWD'),
    is_estimate: z.literal(true).meta({ description: 'Always true. Only the invoice of the payment provider is binding.' }),
    plan: z.object({
      id: PlanName.meta({ description: 'Current plan.' }),
      base_amount: money(
        'Cost of the account’s subscriptions within the window. The price of a billing period is split in proportion to its time within the window, to the millisecond. The amounts of adjacent windows therefore add up to the full price.',
      ),
    }),
    lines: z
      .array(z.discriminatedUnion('kind', [PlanLine, UsageLine]))
      .meta({ description: 'Lines of the estimate: the plan first, then one line per dataset.' }),
    credits: z.object({
      period: z.string().meta({ description: 'Calendar month in Taipei in which the window ends, YYYY-MM.', example: '2026-07' }),
      included: count('Credits that the current plan includes per period.'),
      ...GIVEN,
      used: count('Credits charged for all datasets in the whole calendar month. `lines` has only the credits within the window.'),
      overage: count('Credits billed beyond the plan. Always 0, because reads stop when the credits are used up.'),
    }),
    subtotal: money('Sum of the amounts of all lines.'),
    tax: z.null().meta({ description: 'Always null. The payment provider adds tax to the invoice.' }),
    total: money('Cost of the window.'),
    next_invoice_at: timestamp('Date of the next invoice.')
      .nullable()
      .meta({ description: 'Date of the next invoice, RFC 3339, offset +08:00. Null if no invoice is due.' }),
    subscription: z
      .object(SUBSCRIPTION)
      .meta({ id: 'BilledSubscription' })
      .nullable()
      .meta({ description: 'Live subscription with the highest plan. Null if no subscription is live.' }),
    subscriptions: z
      .array(
        z
          .object({ ...SUBSCRIPTION, amount: money('Cost of the subscription within the window, pro rata.') })
          .meta({ id: 'SubscriptionCost' }),
      )
      .meta({
        description:
          'All subscriptions that are live or cover part of the window. The amounts of these subscriptions add up to `plan.base_amount`.',
      }),
  })
  .meta({ id: 'BillingPreview' })
