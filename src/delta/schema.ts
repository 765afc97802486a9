import { createHash } from 'node:crypto'
import { type ColumnType, type Dataset, FORMER_TIMESTAMP, STORED, storedColumns, storedName } from '../../catalog/index.ts'

export type FieldType = 'string' | 'date' | 'timestamp' | 'double' | 'long' | 'boolean'

export interface Field {
  readonly name: string
  readonly type: FieldType
  readonly nullable: boolean
  readonly metadata: { readonly comment?: string }
}

/** The `metaData` action of a Delta log. */
export interface TableMetadata {
  /**
   * UUID that is computed from the dataset's folder name. It is the same on every machine and after
   * every rebuild.
   */
  readonly id: string
  readonly name: string
  readonly description: string
  readonly format: { readonly provider: 'parquet'; readonly options: Readonly<Record<string, string>> }
  /** JSON of the columns, in the order of the columns in the parts. */
  readonly schemaString: string
  /** Always empty. Parts are divided by a hash of the key, and this hash is not a column. */
  readonly partitionColumns: readonly string[]
  readonly configuration: Readonly<Record<string, string>>
}

/**
 * Periods that keep other tools from deleting files. The protocol alone does not:
 * `cleanup_metadata` of delta-rs 1.6.6 deletes commits older than 30 days without checking the
 * protocol. Tools that ignore the protocol do not vacuum files that are younger than these periods.
 */
const RETENTION = {
  'delta.logRetentionDuration': 'interval 36500 days',
  'delta.deletedFileRetentionDuration': 'interval 36500 days',
} as const

/** Delta type per column type. Timestamps are UTC. JSON values are stored as text. */
const FIELD_TYPES: Readonly<Record<ColumnType, FieldType>> = {
  text: 'string',
  json: 'string',
  date: 'date',
  timestamp: 'timestamp',
  number: 'double',
  integer: 'long',
  boolean: 'boolean',
}

/**
 * Returns the slug with underscores. Table names in SQL and Delta Sharing cannot contain hyphens.
 */
export const tableName = ({ slug }: Pick<Dataset, 'slug'>): string => slug.replaceAll('-', '_')

/** Returns the stored columns according to the current catalog. */
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

/** Delta type per DuckDB type. The keys are the type names in the output of `DESCRIBE`. */
const STORED_TYPES: ReadonlyMap<string, FieldType> = new Map([
  ...Object.entries(FIELD_TYPES).map(([type, field]) => [STORED[type as ColumnType], field] as const),
  [FORMER_TIMESTAMP, FIELD_TYPES.timestamp],
])

/**
 * Returns the field for a column of a Parquet part. The field is nullable and has no description,
 * because parts do not contain this information.
 *
 * @throws Error for an unknown type
 */
export function storedField(name: string, stored: string): Field {
  const type = STORED_TYPES.get(stored)
  if (type === undefined) throw new Error(`column ${name} has the unsupported storage type ${stored}`)
  return { name, type, nullable: true, metadata: {} }
}

/**
 * Returns the metadata of a dataset's table.
 *
 * @param synthetic true to label the rows as samples in description and configuration
 * @param fields columns of the release, if they differ from the columns in the catalog
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

/** Returns the table property that labels samples. Empty for real rows. */
export const syntheticProperty = (synthetic: boolean): Readonly<Record<string, string>> => (synthetic ? { 'twmd.synthetic': 'true' } : {})

/**
 * Returns a UUID of version 8 (RFC 9562), made from the sha256 of the dataset's folder name. So the
 * id is the same on every machine.
 */
export function tableId({ slug }: Dataset): string {
  const hex = createHash('sha256')
    .update(`twmd table ${storedName(slug)}`)
    .digest('hex')
  const variant = ((Number.parseInt(hex[16]!, 16) & 3) | 8).toString(16)
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `${variant}${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-')
}
