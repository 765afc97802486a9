import { z } from 'zod'
import { PlanName } from '../../kernel/index.ts'

/** What every view of a subscription says. */
export const SUBSCRIPTION = {
  subscription_id: z.string().meta({ description: 'Id at the payment provider.' }),
  status: z.string().meta({ description: 'In the payment provider’s words: active, trialing, past_due, unpaid, canceled and others.' }),
  plan_id: PlanName,
  cancel_at_period_end: z.boolean().meta({ description: 'True when it ends with the period paid for and is not billed again.' }),
}
