import { z } from 'zod'
import { COLUMN_TYPES } from '../../../../catalog/index.ts'
import { DatasetId } from './dataset-answer.ts'

const SchemaColumn = z
  .object({
    name: z.string(),
    type: z.enum(COLUMN_TYPES),
    arrow_type: z.string().meta({ description: 'Type in columnar formats, in the words of Apache Arrow.', example: 'float64' }),
    nullable: z.boolean(),
    unit: z.string().nullable().meta({ description: 'Null where the value has no unit.' }),
    label_zh: z.string().meta({ description: 'Label in Chinese.' }),
    description: z.string().meta({ description: 'Meaning, sign, and what null says.' }),
    provenance: z.boolean().meta({ description: 'True for columns that say where the row comes from.' }),
    formula: z
      .string()
      .nullable()
      .meta({ description: 'SQL expression the column is computed by at publication; null where a source states it.' }),
    filterable: z.boolean(),
    sortable: z.boolean(),
    example: z.unknown().meta({ description: 'A value as served; null where the example row has none.' }),
  })
  .meta({ id: 'SchemaColumn' })

export const DatasetSchema = z
  .object({
    dataset: DatasetId,
    dataset_version: z.string(),
    schema_hash: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .meta({ example: '9f'.repeat(32), description: 'sha256 over names, types and nullability: equal hashes, equal columns.' }),
    grain: z.array(z.string()).meta({ description: 'Columns that identify one row.' }),
    partition_by: z.string().nullable().meta({ description: 'Column reads are bounded by; null where there is none.' }),
    columns: z.array(SchemaColumn),
  })
  .meta({ id: 'DatasetSchema' })
