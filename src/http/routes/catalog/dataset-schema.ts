import { z } from 'zod'
import { COLUMN_TYPES, SEVERITIES } from '../../../../catalog/index.ts'
import { DATASET_NAMES } from '../../kernel/index.ts'
import { AsOf } from './labels.ts'

const SchemaColumn = z
  .object({
    name: z.string(),
    type: z.enum(COLUMN_TYPES),
    arrow_type: z.string().meta({ description: 'Apache Arrow type, used in columnar formats.', example: 'float64' }),
    nullable: z.boolean(),
    unit: z.string().nullable().meta({ description: 'Unit of the value. Null if the value has no unit.' }),
    label_zh: z.string().meta({ description: 'Chinese label of the column.' }),
    description: z.string().meta({ description: 'Meaning of the value, of its sign, and of null.' }),
    description_zh: z.string().meta({ description: '`description` in Chinese.' }),
    provenance: z.boolean().meta({ description: 'True for columns that describe the source of the row.' }),
    formula: z
      .string()
      .nullable()
      .meta({
        description: 'SQL expression that computes the column at publication. Null if the value of the column comes from the source.',
      }),
    filterable: z.boolean().meta({ description: 'True if a parameter filters by the column.' }),
    range_filterable: z
      .boolean()
      .meta({ description: 'True if the parameter `range` accepts the column. Only numeric columns are accepted.' }),
    sortable: z
      .boolean()
      .meta({ description: 'True if the parameter `sort_by` accepts the column. The parameter `sort` accepts all columns.' }),
    example: z.unknown().meta({ description: 'Example value, as in responses. Null if the example row has no value.' }),
  })
  .meta({ id: 'SchemaColumn' })

const SchemaRule = z
  .object({
    name: z.string().meta({ example: 'nothing_negative' }),
    columns: z.array(z.string()).meta({ description: 'Columns that the rule checks. Empty if the rule is an SQL condition.' }),
    statement: z
      .string()
      .meta({ example: 'volume, turnover: at least 0', description: 'Condition that the rows must meet, in words or SQL.' }),
    statement_zh: z.string().meta({ example: 'volume、turnover：不小於 0', description: '`statement` in Chinese.' }),
    description: z.string().meta({ description: 'Explanation of the rule.' }),
    description_zh: z.string().meta({ description: '`description` in Chinese.' }),
    severity: z.enum(SEVERITIES).meta({
      description:
        'Effect of invalid rows. `error`: the file is refused. `acceptable`: the file is refused unless the operator accepts the rule. `warning`: the rows are published and counted.',
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
      .meta({
        example: '9f'.repeat(32),
        description: 'sha256 of the names, types and nullability of all columns. The hash changes if a column changes.',
      }),
    grain: z.array(z.string()).meta({ description: 'Columns that identify a row.' }),
    partition_by: z
      .string()
      .nullable()
      .meta({ description: 'Column by which the rows are partitioned. Null if the dataset is not partitioned.' }),
    as_of: AsOf,
    columns: z.array(SchemaColumn),
    rules: z
      .array(SchemaRule)
      .meta({ description: 'Rules that each publication checks for every row. Types, nulls and unique keys are checked as well.' }),
  })
  .meta({ id: 'DatasetSchema' })
