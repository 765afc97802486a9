import { z } from 'zod'
import { PlanName } from '../../kernel/index.ts'
import { IssuedKey } from '../accounts/key-answer.ts'

export const PlanGrant = z
  .object({
    email: z.string(),
    account_id: z.string().meta({ description: 'The account of that address, made where there was none.' }),
    plan_id: PlanName.meta({ description: 'The plan that was granted. A higher one that is paid for stays in force.' }),
    plan_source: z.literal('grant'),
    charged: z.literal(false),
    api_key: IssuedKey,
  })
  .meta({ id: 'PlanGrant' })
