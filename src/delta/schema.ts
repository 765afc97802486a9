import { createHash } from 'node:crypto'
import { type ColumnType, type Dataset, FORMER_TIMESTAMP, STORED, storedColumns, storedName } from '../../catalog/index.ts'

export type FieldType = 'string' | 'date' | 'timestamp' | 'double' | 'long' | 'boolean'

export interface Field {
  readonly name: string
  readonly type: FieldType
  readonly nullable: boolean
  readonly metadata: { readonly comment?: string }
}

export interface TableMetadata {
  /** UUID from the folder name. The same on every machine. */
  readonly id: string
  readonly name: string
  readonly description: string
  readonly format: { readonly provider: 'parquet'; readonly options: Readonly<Record<string, string>> }
  /** JSON, with columns in the order of the Parquet files. */
  readonly schemaString: string
  /** Always empty, because files are divided by a hash of the key, which is not a column. */
  readonly partitionColumns: readonly string[]
  readonly configuration: Readonly<Record<string, string>>
}

/**
 * Prevents other tools from deleting files. Some tools respect only these settings, for example
 * delta-rs 1.6.6. That version deletes commits older than 30 days without checking the protocol.
 */
const RETENTION = {
  'delta.logRetentionDuration': 'interval 36500 days',
  'delta.deletedFileRetentionDuration': 'interval 36500 days',
} as const

/** Timestamps are UTC. */
const FIELD_TYPES: Readonly<Record<ColumnType, FieldType>> = {
  text: 'string',
  json: 'string',
  date: 'date',
  timestamp: 'timestamp',
  number: 'double',
  integer: 'long',
  boolean: 'boolean',
}

/** SQL and Delta Sharing do not permit hyphens in table names. */
export const tableName = ({ slug }: Pick<Dataset, 'slug'>): string => slug.replaceAll('-', '_')

export const declaredFields = (dataset: Dataset): readonly Field[] =>
  storedColumns(dataset).map(name => {
    const { type, nullable, doc, unit } = dataset.columns[name]!
    return {
      name,
      type: FIELD_TYPES[type],
      nullable: nullable === true,
      metadata: { comment: unit === undefined ? doc : `${doc} Unit: ${unit}.` },
    }
  })

/** The keys are type names from DuckDB's `DESCRIBE`. */
const STORED_TYPES: ReadonlyMap<string, FieldType> = new Map([
  ...Object.entries(FIELD_TYPES).map(([type, field]) => [STORED[type as ColumnType], field] as const),
  [FORMER_TIMESTAMP, FIELD_TYPES.timestamp],
])

/**
 * Every field is nullable, because only the catalog states which columns are never null.
 * @throws Error for an unknown type
 */
export function storedField(name: string, stored: string): Field {
  const type = STORED_TYPES.get(stored)
  if (type === undefined) throw new Error(`column ${name} has the unsupported storage type ${stored}`)
  return { name, type, nullable: true, metadata: {} }
}

/**
 * @param synthetic true to label the rows as samples
 * @param fields columns of the release; default: the catalog's columns
 */
export const tableMetadata = (dataset: Dataset, synthetic: boolean, fields: readonly Field[] = declaredFields(dataset)): TableMetadata => ({
  id: tableId(dataset),
  name: tableName(dataset),
  description: `${synthetic ? 'Synthetic sample data. ' : ''}${dataset.title}. ${dataset.description}`,
  format: { provider: 'parquet', options: {} },
  schemaString: JSON.stringify({ type: 'struct', fields }),
  partitionColumns: [],
  configuration: { 'delta.enableInCommitTimestamps': 'true', ...RETENTION, ...syntheticProperty(synthetic) },
})

/** Empty for real data. */
export const syntheticProperty = (synthetic: boolean): Readonly<Record<string, string>> => (synthetic ? { 'twmd.synthetic': 'true' } : {})

/** Returns a version 8 UUID (RFC 9562) from the sha256 of the folder name. */
export function tableId({ slug }: Dataset): string {
  const hex = createHash('sha256')
    .update(`twmd table ${storedName(slug)}`)
    .digest('hex')
  const variant = ((Number.parseInt(hex[16]!, 16) & 3) | 8).toString(16)
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `${variant}${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-')
}
