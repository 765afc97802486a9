import { z } from 'zod'
import { FOUND_TYPES } from '../../../../catalog/index.ts'
import { FIELDS } from '../../../search/index.ts'

export const SEARCH_TYPES = ['all', ...FOUND_TYPES] as const

const Count = z.int().nonnegative()

const Hit = z
  .object({
    type: z.enum(FOUND_TYPES),
    id: z.string().meta({
      description: 'Ticker, code or name that identifies the hit within its type; `dataset.column` for a field. Case-sensitive.',
    }),
    title: z.string().meta({ description: 'Name. The id if no name is available.' }),
    subtitle: z.string().nullable().meta({ description: 'Further description, for example type and industry. Null if there is none.' }),
    market: z.string().nullable().meta({ description: 'TWSE or TPEX. Null if not applicable.' }),
    score: z.number().min(0).max(1).meta({
      description: '1 for an exact code, then lower for code prefixes, exact names, name prefixes and other words.',
    }),
    matched_on: z.enum(FIELDS).meta({ description: 'Attribute that matched.' }),
    datasets: z.array(z.string()).meta({ description: 'Datasets with rows of the hit. Empty if there are none.' }),
    url: z.string().meta({
      description: 'Path to call next: the first read of the hit that your plan includes, or its schema or coverage.',
    }),
    query_field: z
      .string()
      .nullable()
      .meta({ description: 'Field name for /v2/query. Null for fields not available there, and for other types.' }),
  })
  .meta({ id: 'SearchHit' })

export const SearchAnswer = z
  .object({
    q: z.string().meta({ description: 'Search text as sent.' }),
    type: z.enum(SEARCH_TYPES),
    limit: z.int().positive(),
    offset: Count,
    total: Count.meta({ description: 'Number of hits of the requested type, on all pages.' }),
    data_count: Count,
    data: z.array(Hit).meta({ description: 'By score, then type, then id, so that pages never share or skip a hit.' }),
    facets: z.record(z.enum(FOUND_TYPES), Count).meta({ description: 'Number of hits of every type, for any requested type.' }),
    warnings: z
      .array(z.string())
      .meta({ description: 'Warnings, as labels: synthetic_sample_data if hits on this page have sample rows.' }),
    hint: z.string().optional().meta({ description: 'Suggestion, as a sentence in the language of Accept-Language. Only if total is 0.' }),
  })
  .meta({ id: 'SearchResult' })
