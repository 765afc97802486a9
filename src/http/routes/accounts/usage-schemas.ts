import { z } from 'zod'
import { calendarDay, count, DATASET_NAMES, money, PlanName, timestamp } from '../../kernel/index.ts'
import { SUBSCRIPTION } from './schemas.ts'

const GIVEN = {
  granted: count('Credits granted by the operator, in addition to the included ones.'),
  refunded: count('Credits of refunded reads. They can be used again.'),
}

const WindowCredits = z
  .object({
    period: z.string().meta({ description: 'Calendar month in Taipei in which the window ends, YYYY-MM.', example: '2026-07' }),
    included: count('Included credits of the current plan per period.'),
    ...GIVEN,
    used: count('Credits charged in the whole period for all datasets. `totals` has the credits of the window only.'),
    remaining: count('Remaining credits of the period. 0 for a past period.'),
    resets_at: timestamp('Start of the next period.'),
  })
  .meta({ id: 'WindowCredits', description: 'Credits of the period in which the window ends; the current period for the default window.' })

const UsageWindow = z
  .object({
    name: z.string().meta({ description: 'Requested window.', example: 'month' }),
    start: calendarDay('First day, inclusive.'),
    end: calendarDay('Last day, inclusive.'),
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
    data_count: count('Same as `row_count`.'),
    next_before: z.string().nullable().meta({ description: 'Value of `before` for the next page. Null on the last page.' }),
    as_of: timestamp('Time of this response.'),
    data: z
      .array(
        z
          .object({
            request_id: z.string().meta({
              description:
                'Request id of the charged response, as in its header `X-Request-Id`. For a grant or refund, the id of the entry.',
            }),
            at: timestamp('Start of the read, or time of the grant or refund.'),
            dataset: z
              .string()
              .meta({ description: 'Id of the dataset, as in responses. `credits` for a grant.', example: 'bond_yield_curve' }),
            slug: z.string().meta({ description: 'Name of the dataset in paths. `credits` for a grant.', example: 'bond-yield-curve' }),
            key_id: z.string().nullable().meta({
              description: 'Key of the read. Ids of signed-in browsers start with `browser_`. Null for a grant.',
            }),
            credits: count('Credits charged. 0 for a grant or refund.'),
            rows: count('Rows in the response. 0 for a grant or refund.'),
            kind: z.enum(['use', 'grant', 'refund']).meta({
              description: '`use`: a charged read. `grant`: credits granted by the operator. `refund`: the refunded price of a read.',
            }),
            credited: count('Credits granted or refunded. 0 for a read.'),
            reason: z.string().nullable().meta({ description: 'Reason of a grant or refund. Null for a read.' }),
            refunded_request_id: z.string().nullable().meta({ description: 'Request id of the refunded read. Null for other kinds.' }),
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
    totals: z.object({ ...TOTALS, ...GIVEN_IN_WINDOW }).meta({ id: 'UsageTotals' }),
    by_day: z
      .array(z.object({ day: calendarDay('Day of the reads.'), ...TOTALS }).meta({ id: 'UsageOfDay' }))
      .meta({ description: 'Oldest day first. Days without reads are omitted.' }),
    by_dataset: z.array(z.object({ ...DATASET_NAMES, ...TOTALS }).meta({ id: 'UsageOfDataset' })),
    by_key: z.array(
      z
        .object({
          key_id: z.string().meta({ description: 'Ids of signed-in browsers start with `browser_`.' }),
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
    quantity: count('Number of subscriptions that cover part of the window. 1 if there are none.'),
    unit_credits: z.null(),
    credits: z.null(),
    amount: money('Price of the time that the subscriptions cover within the window.'),
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
    is_estimate: z.literal(true).meta({ description: 'Always true. The payment provider’s invoice is authoritative.' }),
    plan: z.object({
      id: PlanName.meta({ description: 'Current plan.' }),
      base_amount: money(
        'Price of the time that the account’s subscriptions cover within the window. For each billing period, the amount is the share of the period within the window, to the millisecond. So the amounts of adjacent windows add up to the full price.',
      ),
    }),
    lines: z.array(z.discriminatedUnion('kind', [PlanLine, UsageLine])).meta({ description: 'The plan first, then one line per dataset.' }),
    credits: z.object({
      period: z.string().meta({ description: 'Calendar month in Taipei in which the window ends, YYYY-MM.', example: '2026-07' }),
      included: count('Included credits of the current plan per period.'),
      ...GIVEN,
      used: count('Credits charged in the whole period for all datasets. `lines` has the credits of the window only.'),
      overage: count('Credits billed beyond the plan. Always 0, because reads stop when the credits are used up.'),
    }),
    subtotal: money('Sum of the lines.'),
    tax: z.null().meta({ description: 'Always null. The payment provider adds tax to the invoice.' }),
    total: money('Cost of the window.'),
    next_invoice_at: timestamp('Date of the next invoice.')
      .nullable()
      .meta({ description: 'Date of the next invoice, RFC 3339, offset +08:00. Null if none is due.' }),
    subscription: z
      .object(SUBSCRIPTION)
      .meta({ id: 'BilledSubscription' })
      .nullable()
      .meta({ description: 'Live subscription of the highest plan. Null if there is none.' }),
    subscriptions: z
      .array(
        z
          .object({ ...SUBSCRIPTION, amount: money('Cost of the time that the subscription covers within the window.') })
          .meta({ id: 'SubscriptionCost' }),
      )
      .meta({ description: 'All subscriptions that are live or cover part of the window. Their amounts add up to `plan.base_amount`.' }),
  })
  .meta({ id: 'BillingPreview' })
