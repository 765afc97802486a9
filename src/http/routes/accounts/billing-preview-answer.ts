import { z } from 'zod'
import { count, money, PlanName, timestamp } from '../../kernel/index.ts'
import { SUBSCRIPTION } from './subscription-answer.ts'
import { UsageWindow } from './usage-answer.ts'

const PlanLine = z
  .object({
    kind: z.literal('plan'),
    dataset: z.null(),
    quantity: count('Subscriptions that are billed; 1 where there is none.'),
    unit_credits: z.null(),
    credits: z.null(),
    amount: money('Price of the subscriptions for a month.'),
  })
  .meta({ id: 'PlanLine' })

const UsageLine = z
  .object({
    kind: z.literal('usage'),
    dataset: z.string().meta({ description: 'Slug of the dataset.' }),
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
    plan: z.object({ id: PlanName, base_amount: money('Price of the account’s subscriptions for a month.') }),
    lines: z.array(z.discriminatedUnion('kind', [PlanLine, UsageLine])).meta({ description: 'The plan first, then a line a dataset.' }),
    credits: z.object({
      included: count('Credits of the plan for the running period.'),
      used: count('Credits charged in the running period.'),
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
      .meta({ description: 'The live subscription; null where there is none.' }),
  })
  .meta({ id: 'BillingPreview' })
