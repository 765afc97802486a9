import { z } from 'zod'
import { count, money, PlanName } from '../../kernel/index.ts'
import { LIMITS } from '../accounts/schemas.ts'
import { DatasetId, Family, ServingStatus } from './dataset-answer.ts'

const Tier = z
  .object({
    plan_id: PlanName,
    name: z.string(),
    rank: z.int().min(0).meta({ description: 'A plan includes everything of those with a lower rank.' }),
    price: z.object({ amount: money('Price.'), currency: z.literal('TWD'), period: z.literal('month') }),
    included_credits: count('Credits a calendar month in Taipei.'),
    ...LIMITS,
    formats: z.array(z.string()).meta({ description: 'Formats a read can be asked for.' }),
    features: z.array(z.string()).meta({ description: 'What the plan lets one do, as snake_case words.' }),
  })
  .meta({ id: 'Tier' })

export const TierList = z.object({ data: z.array(Tier), data_count: count('Plans.') }).meta({ id: 'TierList' })

const Product = z
  .object({
    dataset: DatasetId,
    family: Family,
    title: z.string(),
    minimum_plan: PlanName,
    credits_per_call: count('Credits an answered read costs.'),
    status: ServingStatus,
  })
  .meta({ id: 'Product' })

export const ProductList = z.object({ data: z.array(Product), data_count: count('Datasets.') }).meta({ id: 'ProductList' })
