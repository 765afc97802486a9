import { z } from 'zod'
import { count, timestamp } from '../../kernel/index.ts'

export const Credits = z
  .object({
    period: z.string().meta({ description: 'The calendar month in Taipei, YYYY-MM.', example: '2026-07' }),
    included: count('Credits of the plan for the period.'),
    used: count('Credits charged in the period so far.'),
    remaining: count('Credits that can still be spent; never below 0.'),
    resets_at: timestamp('When the next period begins and the credits return.'),
  })
  .meta({ id: 'Credits', description: 'Credits of the running period.' })
