import { z } from 'zod'
import { calendarDay, count, PlanName, timestamp } from '../../kernel/index.ts'
import { Credits } from './credits-answer.ts'

export const UsageWindow = z
  .object({
    name: z.string().meta({ description: 'The window as it was asked for.', example: 'month' }),
    start: calendarDay('First day, included.'),
    end: calendarDay('Last day, included.'),
    timezone: z.literal('Asia/Taipei'),
  })
  .meta({ id: 'UsageWindow' })

const TOTALS = {
  requests: count('Reads that were answered.'),
  credits: count('Credits charged for them.'),
  rows: count('Rows in those answers.'),
  errors: count('Reads that were refused or failed; none of them is charged.'),
}

export const UsageSummary = z
  .object({
    window: UsageWindow,
    plan_id: PlanName,
    totals: z.object(TOTALS).meta({ id: 'UsageTotals' }),
    by_day: z
      .array(z.object({ day: calendarDay('Day of the reads.'), ...TOTALS }).meta({ id: 'UsageOfDay' }))
      .meta({ description: 'Oldest day first; a day without a read is left out.' }),
    by_dataset: z.array(
      z.object({ dataset: z.string().meta({ description: 'Slug of the dataset.' }), ...TOTALS }).meta({ id: 'UsageOfDataset' }),
    ),
    by_key: z.array(z.object({ key_id: z.string(), ...TOTALS }).meta({ id: 'UsageOfKey' })),
    credits: Credits,
    as_of: timestamp('When this was counted.'),
  })
  .meta({ id: 'UsageSummary' })
