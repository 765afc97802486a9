import { z } from 'zod'
import { COLUMN_TYPES, FORMATS, PLAN_IDS } from '../../../../catalog/index.ts'
import { MOST_OFFSET, MOST_ROWS } from '../../../read/index.ts'
import { MAX_QUERY } from '../../../sql/index.ts'
import { count } from '../../kernel/index.ts'

const Value = z.union([z.string().max(10_000), z.number(), z.boolean(), z.null()])

/** Values of the placeholders `$1`, `$2`, …, or `$name`. */
export const SqlValues = z.union([z.array(Value).max(100), z.record(z.string().regex(/^\w{1,63}$/), Value)])

/** Releases to read, by slug. */
export const SqlPins = z.record(z.string().max(100), z.string().max(40))

export const SqlBody = z.strictObject({
  q: z.string().min(1).max(MAX_QUERY).meta({
    description: 'One SELECT statement. A table name is the slug of a dataset with `_` instead of `-`.',
    example: 'SELECT name, count(*) AS n FROM securities_firm_master GROUP BY ALL ORDER BY n DESC LIMIT 3',
  }),
  params: SqlValues.default([]).meta({
    description:
      'Values of the parameters of the query. A list has the values of `$1`, `$2` and so on. An object has the values of `$name`.',
  }),
  limit: z
    .int()
    .min(1)
    .max(MOST_ROWS)
    .nullable()
    .default(null)
    .meta({ description: 'Maximum number of rows to return. Default: the maximum of the plan.' }),
  offset: z
    .int()
    .min(0)
    .max(MOST_OFFSET)
    .default(0)
    .meta({ description: 'Number of rows to skip. The query needs ORDER BY for stable pages.' }),
  as_of: z.string().max(40).nullable().default(null).meta({
    description: 'Reads the releases that were served at the end of this day in Taipei, or at this RFC 3339 time.',
  }),
  releases: SqlPins.default({}).meta({ description: 'Retained releases to read, by slug of the dataset. Default: the newest releases.' }),
  format: z.enum(FORMATS).nullable().default(null).meta({ description: 'Format of the response. Default: as in the `Accept` header.' }),
  bom: z.boolean().default(false).meta({ description: 'Adds a byte order mark to CSV, so that Excel recognizes UTF-8.' }),
  dry_run: z
    .boolean()
    .default(false)
    .meta({ description: 'If `true`, returns the price of the query instead of the rows. Free of charge.' }),
})

const SqlColumn = z
  .strictObject({
    name: z.string(),
    type: z.enum(COLUMN_TYPES).meta({ description: 'Type of the values, as in reads of datasets.' }),
    sql_type: z.string().meta({ description: 'Type of the column in DuckDB.' }),
  })
  .meta({ id: 'SqlColumn' })

export const SqlAnswerBody = z
  .strictObject({
    api_version: z.literal('v2'),
    endpoint: z.literal('/v2/sql'),
    request_id: z.string(),
    plan_id: z.enum(PLAN_IDS),
    data: z.array(z.record(z.string(), z.unknown())).meta({ description: 'Rows of the result, with columns in the order of the query.' }),
    data_count: count('Number of rows in `data`.'),
    columns: z.array(SqlColumn),
    meta: z.strictObject({
      releases: z.record(z.string(), z.string()).meta({ description: 'Releases that were read, by slug of the dataset.' }),
      as_of: z.string().nullable(),
      scanned_rows: count('Number of scanned rows from which the price is computed.'),
      credits: count('Price of this response, in credits.'),
      limit: count('Maximum number of rows of this response.'),
      offset: count('Number of skipped rows.'),
      next_offset: z.int().nullable().meta({ description: 'Value of `offset` for the next page. Null on the last page.' }),
    }),
    known_gaps: z.array(z.string()).meta({ description: 'Known gaps of the datasets, as labels.' }),
    warnings: z.array(z.string()).meta({ description: 'Warnings to show with the data, as labels.' }),
  })
  .meta({ id: 'SqlAnswer' })
