import { z } from 'zod'
import { FOUND_TYPES } from '../../../../catalog/index.ts'
import { FIELDS } from '../../../search/index.ts'

export const SEARCH_TYPES = ['all', ...FOUND_TYPES] as const

const Count = z.int().nonnegative()

const Hit = z
  .object({
    type: z.enum(FOUND_TYPES),
    id: z.string().meta({
      description:
        'Ticker, code or name that identifies the hit within its type. The id of a field has the form `dataset.column`. Ids are case-sensitive.',
    }),
    title: z.string().meta({ description: 'Name of the hit, or the id if no name is available.' }),
    title_en: z.string().nullable().meta({ description: 'English name of the hit. Null if no English name is available.' }),
    title_zh: z.string().nullable().meta({ description: 'Chinese name of the hit. Null if no Chinese name is available.' }),
    subtitle: z
      .string()
      .nullable()
      .meta({ description: 'Further description of the hit, for example type and industry. Null if there is no description.' }),
    market: z.string().nullable().meta({ description: 'Market of the hit: `TWSE` or `TPEX`. Null for a hit without a market.' }),
    delisted_on: z.string().nullable().meta({
      description: 'First day without trading of a delisted security. Null for other hits.',
      format: 'date',
    }),
    score: z.number().min(0).max(1).meta({
      description:
        'Score of the match, from 0 to 1. An exact code has 1. Code prefixes, exact names, name prefixes and other words have lower scores, in this order.',
    }),
    matched_on: z.enum(FIELDS).meta({ description: 'Attribute of the hit that matched the search text.' }),
    datasets: z.array(z.string()).meta({ description: 'Datasets with rows of the hit. Empty if no dataset has rows.' }),
    url: z.string().meta({
      description:
        'Path to call next: a read with rows of the hit that your plan includes. Without such a read, the path of the schema or coverage.',
    }),
    query_field: z
      .string()
      .nullable()
      .meta({
        description:
          'Name of the field in /v2/query. Null for fields that are not available in /v2/query, and for hits that are not fields.',
      }),
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
    data: z.array(Hit).meta({ description: 'Hits on this page, ordered by score, type and id. Pages never repeat or skip a hit.' }),
    facets: z
      .record(z.enum(FOUND_TYPES), Count)
      .meta({ description: 'Number of hits of each type, including types that were not requested.' }),
    warnings: z
      .array(z.string())
      .meta({ description: 'Warnings, as labels. The label `synthetic_sample_data` means that hits on this page have sample rows.' }),
    hint: z
      .string()
      .optional()
      .meta({
        description: 'Suggestion for another search, as a sentence in the language of `Accept-Language`. Absent unless `total` is 0.',
      }),
  })
  .meta({ id: 'SearchResult' })
