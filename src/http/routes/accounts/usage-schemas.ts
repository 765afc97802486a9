import { z } from 'zod'
import { calendarDay, count, DATASET_NAMES, money, PlanName, timestamp } from '../../kernel/index.ts'
import { SUBSCRIPTION } from './schemas.ts'

const GIVEN = {
  granted: count('Credits granted by the operator, in addition to the included ones.'),
  refunded: count('Credits that the operator refunded for reads. They can be used again.'),
}

const WindowCredits = z
  .object({
    period: z.string().meta({ description: 'Calendar month in Taipei in which the window ends, YYYY-MM.', example: '2026-07' }),
    included: count('Included credits of the current plan per period.'),
    ...GIVEN,
    used: count('Credits charged in the full period for all datasets. `totals` has those of the window.'),
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
  credits: count('Credits charged for them.'),
  rows: count('Rows in their responses.'),
  errors: count('Number of refused or failed reads, which are not charged.'),
}

const GIVEN_IN_WINDOW = {
  granted: count('Credits granted by the operator within the window. 0 for a single dataset.'),
  refunded: count('Credits of reads that the operator refunded within the window.'),
}

export const UsageLedger = z
  .object({
    window: UsageWindow,
    row_count: count('Number of entries in this response.'),
    next_before: z.string().nullable().meta({ description: 'Send it as `before` for the following entries. Null on the last page.' }),
    as_of: timestamp('Time of this response.'),
    data: z
      .array(
        z
          .object({
            request_id: z
              .string()
              .meta({ description: 'Id of the response, as in its header `X-Request-Id`. Id of the entry for a grant or refund.' }),
            at: timestamp('Time at which the read was admitted, or of the grant or refund.'),
            dataset: z
              .string()
              .meta({ description: 'Id of the dataset, as in responses. `credits` for a grant.', example: 'bond_yield_curve' }),
            slug: z.string().meta({ description: 'Name of the dataset in paths. `credits` for a grant.', example: 'bond-yield-curve' }),
            key_id: z
              .string()
              .meta({ description: 'Key of the read. Ids that start with `browser_` are signed-in browsers. Empty for a grant.' }),
            credits: count('Credits charged. 0 for a grant or refund.'),
            rows: count('Rows in the response. 0 for a grant or refund.'),
            kind: z.enum(['use', 'grant', 'refund']).meta({
              description: 'use: a charged read. grant: credits given by the operator. refund: the price of a read, given back.',
            }),
            credited: count('Credits granted or refunded. 0 for a read.'),
            reason: z.string().meta({ description: 'Reason of a grant or refund. Empty for a read.' }),
            refunded_request_id: z.string().meta({ description: 'Request id of the refunded read. Empty for other kinds.' }),
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
        .object({ key_id: z.string().meta({ description: 'Ids that start with `browser_` are signed-in browsers.' }), ...TOTALS })
        .meta({ id: 'UsageOfKey' }),
    ),
    credits: WindowCredits,
    as_of: timestamp('Time of this count.'),
  })
  .meta({ id: 'UsageSummary' })

const PlanLine = z
  .object({
    kind: z.literal('plan'),
    dataset: z.null(),
    slug: z.null(),
    quantity: count('Number of subscriptions that cover part of the window. 1 if there is none.'),
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
    unit_credits: z.number().min(0).meta({ description: 'Credits per read, as the mean of the window.' }),
    credits: count('Credits charged.'),
    amount: money('Always 0: credits are included in the plan.'),
  })
  .meta({ id: 'UsageLine' })

export const BillingPreview = z
  .object({
    window: UsageWindow,
    currency: z.literal('TWD'),
    is_estimate: z.literal(true).meta({ description: 'Estimate. The payment provider’s invoice is authoritative.' }),
    plan: z.object({
      id: PlanName.meta({ description: 'Current plan.' }),
      base_amount: money(
        'Price of the time that the account’s subscriptions cover within the window: the share of each billing period, to the millisecond. Adjacent windows add up to the price.',
      ),
    }),
    lines: z.array(z.discriminatedUnion('kind', [PlanLine, UsageLine])).meta({ description: 'The plan first, then one line per dataset.' }),
    credits: z.object({
      period: z.string().meta({ description: 'Calendar month in Taipei in which the window ends, YYYY-MM.', example: '2026-07' }),
      included: count('Included credits of the current plan per period.'),
      ...GIVEN,
      used: count('Credits charged in the full period for all datasets. The lines have those of the window.'),
      overage: count('Credits billed beyond the plan. Always 0, because reads stop when the credits are used up.'),
    }),
    subtotal: money('Sum of the lines.'),
    tax: z.null().meta({ description: 'Unknown. The payment provider adds it to the invoice.' }),
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
