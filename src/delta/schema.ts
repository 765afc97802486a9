import { createHash } from 'node:crypto'
import { type ColumnType, type Dataset, FORMER_TIMESTAMP, STORED, storedColumns, storedName } from '../../catalog/index.ts'

/** Column type in Delta and Delta Sharing. */
export type FieldType = 'string' | 'date' | 'timestamp' | 'double' | 'long' | 'boolean'

/** One column of a table. */
export interface Field {
  readonly name: string
  readonly type: FieldType
  readonly nullable: boolean
  readonly metadata: { readonly comment?: string }
}

/** The `metaData` action. */
export interface TableMetadata {
  /**
   * UUID derived from the dataset's name on disk. It is the same on every machine and after every
   * rebuild.
   */
  readonly id: string
  readonly name: string
  readonly description: string
  readonly format: { readonly provider: 'parquet'; readonly options: Readonly<Record<string, string>> }
  /** The fields as JSON text, in the order of the parts. */
  readonly schemaString: string
  /** Always empty: parts are partitioned by a hash of the key, which is not a column. */
  readonly partitionColumns: readonly string[]
  readonly configuration: Readonly<Record<string, string>>
}

/**
 * Prevents tools from deleting files. delta-rs 1.6.6 checks the protocol before it commits, but its
 * `cleanup_metadata` deletes commits older than 30 days without a commit. Tools that ignore the
 * protocol do not vacuum files younger than this period.
 */
const RETENTION = {
  'delta.logRetentionDuration': 'interval 36500 days',
  'delta.deletedFileRetentionDuration': 'interval 36500 days',
} as const

/** Delta types. Timestamps are UTC instants, and JSON values are text. */
const FIELD_TYPES: Readonly<Record<ColumnType, FieldType>> = {
  text: 'string',
  json: 'string',
  date: 'date',
  timestamp: 'timestamp',
  number: 'double',
  integer: 'long',
  boolean: 'boolean',
}

/** The slug with underscores, because names in SQL and Delta Sharing cannot contain hyphens. */
export const tableName = ({ slug }: Pick<Dataset, 'slug'>): string => slug.replaceAll('-', '_')

/** The stored columns that the catalog declares now. */
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

/** Delta types by DuckDB type, as returned by `DESCRIBE`. */
const STORED_TYPES: ReadonlyMap<string, FieldType> = new Map([
  ...Object.entries(FIELD_TYPES).map(([type, field]) => [STORED[type as ColumnType], field] as const),
  [FORMER_TIMESTAMP, FIELD_TYPES.timestamp],
])

/**
 * A field from the schema of a part, which has no descriptions and no nullability.
 *
 * @throws Error for an unknown type
 */
export function storedField(name: string, stored: string): Field {
  const type = STORED_TYPES.get(stored)
  if (type === undefined) throw new Error(`column ${name} has the unsupported storage type ${stored}`)
  return { name, type, nullable: true, metadata: {} }
}

/**
 * Builds the metadata of a dataset's table.
 *
 * @param synthetic marks samples in the description and configuration
 * @param fields columns of the release; required if they differ from those of the catalog
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

/** The table property that marks samples. Empty for real rows. */
export const syntheticProperty = (synthetic: boolean): Readonly<Record<string, string>> => (synthetic ? { 'twmd.synthetic': 'true' } : {})

/** UUID version 8 from the sha256 of the name on disk, so it is the same on every machine. */
export function tableId({ slug }: Dataset): string {
  const hex = createHash('sha256')
    .update(`twmd table ${storedName(slug)}`)
    .digest('hex')
  const variant = ((Number.parseInt(hex[16]!, 16) & 3) | 8).toString(16)
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `${variant}${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-')
}
