import { z } from 'zod'
import { COLUMN_TYPES, SEVERITIES } from '../../../../catalog/index.ts'
import { DATASET_NAMES } from '../../kernel/index.ts'

const SchemaColumn = z
  .object({
    name: z.string(),
    type: z.enum(COLUMN_TYPES),
    arrow_type: z.string().meta({ description: 'Type in columnar formats, in the words of Apache Arrow.', example: 'float64' }),
    nullable: z.boolean(),
    unit: z.string().nullable().meta({ description: 'Null where the value has no unit.' }),
    label_zh: z.string().meta({ description: 'Label in Chinese.' }),
    description: z.string().meta({ description: 'Meaning, sign, and what null says.' }),
    description_zh: z.string().meta({ description: 'The same in Chinese.' }),
    provenance: z.boolean().meta({ description: 'True for columns that say where the row comes from.' }),
    formula: z
      .string()
      .nullable()
      .meta({ description: 'SQL expression the column is computed by at publication; null where a source states it.' }),
    filterable: z.boolean().meta({ description: 'True where a parameter of its own filters by the column.' }),
    range_filterable: z.boolean().meta({ description: 'True where range takes the column: columns of numbers.' }),
    sortable: z.boolean().meta({ description: 'True where sort_by takes the column; sort takes every one.' }),
    example: z.unknown().meta({ description: 'A value as served; null where the example row has none.' }),
  })
  .meta({ id: 'SchemaColumn' })

const SchemaRule = z
  .object({
    name: z.string().meta({ example: 'nothing_negative' }),
    columns: z.array(z.string()).meta({ description: 'Columns it is about; empty where it is a condition in SQL.' }),
    statement: z.string().meta({ example: 'volume, turnover: at least 0', description: 'What holds of them.' }),
    statement_zh: z.string().meta({ example: 'volume、turnover：不小於 0', description: 'The same in Chinese.' }),
    description: z.string().meta({ description: 'The reason.' }),
    description_zh: z.string().meta({ description: 'The same in Chinese.' }),
    severity: z.enum(SEVERITIES).meta({
      description:
        'error: rows that break it are refused. acceptable: unless the operator lets them pass. warning: they are published, and counted.',
    }),
  })
  .meta({ id: 'SchemaRule' })

export const DatasetSchema = z
  .object({
    ...DATASET_NAMES,
    dataset_version: z.string(),
    schema_hash: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .meta({ example: '9f'.repeat(32), description: 'sha256 over names, types and nullability: equal hashes, equal columns.' }),
    grain: z.array(z.string()).meta({ description: 'Columns that identify one row.' }),
    partition_by: z.string().nullable().meta({ description: 'Column reads are bounded by; null where there is none.' }),
    columns: z.array(SchemaColumn),
    rules: z.array(SchemaRule).meta({ description: 'What every publication checks of each row, beside types, nulls and grain.' }),
  })
  .meta({ id: 'DatasetSchema' })
