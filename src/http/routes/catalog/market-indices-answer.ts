import { z } from 'zod'
import { calendarDay, count } from '../../kernel/index.ts'
import { Labels } from './dataset-answer.ts'

const IndexClose = z
  .object({
    index_code: z.string(),
    name: z.string(),
    name_zh: z.string().meta({ description: 'Name in Chinese.' }),
    value: z.number().meta({ description: 'Close, in index points.' }),
    change: z
      .number()
      .nullable()
      .meta({ description: 'Points gained since the close before, negative when lost; null where not compared.' }),
    change_pct: z.number().nullable().meta({ description: 'The same in percent of the close before.' }),
    trade_date: calendarDay('Trading day of the close.'),
    source: z.string(),
  })
  .meta({ id: 'IndexClose' })

export const MarketIndices = z
  .object({
    as_of: calendarDay('Newest trade_date; null when no index has data.').nullable(),
    data: z.array(IndexClose),
    data_count: count('Indices.'),
    warnings: Labels,
  })
  .meta({ id: 'MarketIndices' })
