import { z } from 'zod'
import { PlanName, timestamp } from '../../kernel/index.ts'
import { Credits } from './credits-answer.ts'
import { LIMITS } from './limits-answer.ts'
import { SUBSCRIPTION } from './subscription-answer.ts'

const Subscription = z
  .object({
    ...SUBSCRIPTION,
    current_period_end: timestamp('End of the period paid for.')
      .nullable()
      .meta({ description: 'End of the period paid for, RFC 3339, offset +08:00; null where the payment provider names none.' }),
  })
  .meta({ id: 'Subscription' })

export const AccountStatus = z.enum(['active', 'closed']).meta({ id: 'AccountStatus' })

export const Account = z
  .object({
    account_id: z.string(),
    email: z.string(),
    account_status: AccountStatus,
    plan_id: PlanName,
    plan_source: z.enum(['free', 'grant', 'subscription']).meta({ description: 'Where the plan in force comes from.' }),
    created_at: timestamp('When the account began.'),
    ...LIMITS,
    credits: Credits,
    subscription: Subscription.nullable().meta({
      description: 'The live subscription of the highest plan, else the last there was; null where there never was one.',
    }),
  })
  .meta({ id: 'Account' })
