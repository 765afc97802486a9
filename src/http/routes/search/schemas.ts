import { z } from 'zod'
import { FOUND_TYPES } from '../../../../catalog/index.ts'
import { FIELDS } from '../../../search/index.ts'

export const SEARCH_TYPES = ['all', ...FOUND_TYPES] as const

const Count = z.int().nonnegative()

const Hit = z
  .object({
    type: z.enum(FOUND_TYPES),
    id: z.string().meta({
      description: 'Ticker, code or name that identifies the hit within its type. For a field, `dataset.column`. Case-sensitive.',
    }),
    title: z.string().meta({ description: 'Name. If no name is available, the id.' }),
    title_en: z.string().nullable().meta({ description: 'English name. Null if none is available.' }),
    title_zh: z.string().nullable().meta({ description: 'Chinese name. Null if none is available.' }),
    subtitle: z.string().nullable().meta({ description: 'Further description, for example type and industry. Null if there is none.' }),
    market: z.string().nullable().meta({ description: '`TWSE` or `TPEX`. Null if not applicable.' }),
    delisted_on: z.string().nullable().meta({
      description: 'First day without trading of a delisted security. Null for others.',
      format: 'date',
    }),
    score: z.number().min(0).max(1).meta({
      description: '1 for an exact code. Lower, in this order, for code prefixes, exact names, name prefixes and other words.',
    }),
    matched_on: z.enum(FIELDS).meta({ description: 'Attribute that matched.' }),
    datasets: z.array(z.string()).meta({ description: 'Datasets with rows of the hit. Empty if there are none.' }),
    url: z.string().meta({
      description:
        'Path to call next: the first read with rows of the hit that your plan includes. If there is none, the schema or coverage.',
    }),
    query_field: z
      .string()
      .nullable()
      .meta({ description: 'Field name for /v2/query. Null for fields that are not available in /v2/query, and for other types.' }),
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
    data: z.array(Hit).meta({ description: 'Ordered by score, type and id, so that pages never repeat or skip a hit.' }),
    facets: z
      .record(z.enum(FOUND_TYPES), Count)
      .meta({ description: 'Number of hits of each type, including types that were not requested.' }),
    warnings: z
      .array(z.string())
      .meta({ description: 'Warnings, as labels. `synthetic_sample_data`: hits on this page have sample rows.' }),
    hint: z
      .string()
      .optional()
      .meta({ description: 'Suggestion, as a sentence in the language of `Accept-Language`. Present if `total` is 0.' }),
  })
  .meta({ id: 'SearchResult' })
