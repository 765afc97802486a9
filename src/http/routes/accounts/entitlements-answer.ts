import { z } from 'zod'
import { count, PlanName } from '../../kernel/index.ts'
import { Credits } from './credits-answer.ts'
import { LIMITS } from './limits-answer.ts'

export const Entitlements = z
  .object({
    account_id: z.string(),
    plan_id: PlanName,
    ...LIMITS,
    credits: Credits,
    formats: z.array(z.string()).meta({ description: 'Formats a read can be asked for.' }),
    features: z.array(z.string()).meta({ description: 'What the plan lets one do, as snake_case words.' }),
    datasets: z.array(
      z
        .object({
          dataset: z.string().meta({ description: 'Id of the dataset.', example: 'securities_firm_master' }),
          minimum_plan: PlanName,
          credits_per_call: count('Credits an answered read costs.'),
          allowed: z.boolean().meta({ description: 'True when the plan of the key includes the dataset.' }),
          reason: z.string().nullable().meta({ description: 'What is missing; null when the dataset is allowed.' }),
        })
        .meta({ id: 'DatasetEntitlement' }),
    ),
  })
  .meta({ id: 'Entitlements' })
