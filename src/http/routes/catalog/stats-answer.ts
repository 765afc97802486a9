import { z } from 'zod'
import { count, timestamp } from '../../kernel/index.ts'
import { Labels } from './dataset-answer.ts'

const Metric = z
  .object({
    name: z.string().meta({ example: 'total_rows' }),
    value: count('The number counted.'),
    basis: z.enum(['rows', 'distinct_tickers']).meta({ description: 'What is counted.' }),
    method: z.enum(['exact', 'approximate']),
    counted_at: timestamp('When it was counted: at publication; of a total, the newest of its parts.'),
    dataset: z.string().nullable().meta({ description: 'Id of the dataset; null for a total over all that are served.' }),
  })
  .meta({ id: 'Metric' })

export const CatalogStats = z
  .object({
    generated_at: timestamp('When this answer was made; it stands for cache_ttl_seconds.'),
    cache_ttl_seconds: z.literal(600),
    metrics: z.array(Metric),
    warnings: Labels,
  })
  .meta({ id: 'CatalogStats' })
