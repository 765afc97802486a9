import { z } from 'zod'
import { PlanName } from '../../kernel/index.ts'
import { AccountStatus } from './account-answer.ts'
import { Credits } from './credits-answer.ts'
import { LIMITS } from './limits-answer.ts'

export const AccountSummary = z
  .object({
    email: z.string().meta({ description: 'The address asked about; as it was sent where it is none.' }),
    plan_id: PlanName,
    account_status: AccountStatus,
    source: z.enum(['account', 'default']).meta({ description: '`default` where no account has the address.' }),
    row_limit: LIMITS.row_limit,
    credits: Credits,
  })
  .meta({ id: 'AccountSummary' })
