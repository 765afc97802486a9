import { z } from 'zod'
import { FOUND_TYPES } from '../../../../catalog/index.ts'
import { FIELDS } from '../../../search/index.ts'

export const SEARCH_TYPES = ['all', ...FOUND_TYPES] as const

const Count = z.int().nonnegative()

const Hit = z
  .object({
    type: z.enum(FOUND_TYPES),
    id: z.string().meta({
      description: 'Ticker, code or name that identifies it among its type; a field is `dataset.column`. Upper and lower case differ.',
    }),
    title: z.string().meta({ description: 'Its name; the id where no name is known.' }),
    subtitle: z.string().nullable().meta({ description: 'What else is said of it, for example kind and industry; null when nothing is.' }),
    market: z.string().nullable().meta({ description: 'TWSE or TPEX; null for what belongs to no market.' }),
    score: z.number().min(0).max(1).meta({
      description: '1 for an exact code; then come beginnings of codes, exact names, beginnings of names, and other words.',
    }),
    matched_on: z.enum(FIELDS).meta({ description: 'Where what you asked for was found.' }),
    datasets: z.array(z.string()).meta({ description: 'Datasets that have rows of it; empty when none has.' }),
    url: z.string().meta({
      description: 'A path to call next: the first read of it that your plan includes, or the schema or coverage that explains it.',
    }),
    query_field: z
      .string()
      .nullable()
      .meta({ description: 'Name of a field in /v2/query; null for one that cannot be asked for there, and for other types.' }),
  })
  .meta({ id: 'SearchHit' })

export const SearchAnswer = z
  .object({
    q: z.string().meta({ description: 'What was asked for, as sent.' }),
    type: z.enum(SEARCH_TYPES),
    limit: z.int().positive(),
    offset: Count,
    total: Count.meta({ description: 'Hits of the type asked for, on all pages.' }),
    data_count: Count,
    data: z.array(Hit).meta({ description: 'By score, then type, then id: pages never share or skip a hit.' }),
    facets: z.record(z.enum(FOUND_TYPES), Count).meta({ description: 'Hits of every type, whichever was asked for.' }),
    warnings: z
      .array(z.string())
      .meta({ description: 'What must not be overlooked, as labels: synthetic_sample_data where hits on this page are of sample rows.' }),
    hint: z
      .string()
      .optional()
      .meta({ description: 'What to try instead, in a sentence in the language of Accept-Language; only where total is 0.' }),
  })
  .meta({ id: 'SearchResult' })
