import { createHash } from 'node:crypto'
import { type ColumnType, type Dataset, STORED, storedColumns, storedName } from '../../catalog/index.ts'

/** Type of a column as Delta names it, and Delta Sharing after it. */
export type FieldType = 'string' | 'date' | 'timestamp' | 'double' | 'long' | 'boolean'

/** One column of an open table. */
export interface Field {
  readonly name: string
  readonly type: FieldType
  readonly nullable: boolean
  readonly metadata: { readonly comment?: string }
}

/** What a table is, as the `metaData` action states it. */
export interface TableMetadata {
  /** UUID made from the dataset's name on disk: the same on every machine, after every rebuild. */
  readonly id: string
  readonly name: string
  readonly description: string
  readonly format: { readonly provider: 'parquet'; readonly options: Readonly<Record<string, string>> }
  /** The fields as JSON text, in the order the parts hold them. */
  readonly schemaString: string
  /** Always empty: a part holds a bucket of keys, which is no column. */
  readonly partitionColumns: readonly string[]
  readonly configuration: Readonly<Record<string, string>>
}

/** `timestamp` is an instant in UTC; `json` is text that holds one JSON value. */
const FIELD_TYPES: Readonly<Record<ColumnType, FieldType>> = {
  text: 'string',
  json: 'string',
  date: 'date',
  timestamp: 'timestamp',
  number: 'double',
  integer: 'long',
  boolean: 'boolean',
}

/** The slug with underscores: SQL and Delta Sharing take no hyphen in a name. */
export const tableName = ({ slug }: Pick<Dataset, 'slug'>): string => slug.replaceAll('-', '_')

/** The columns that parts hold, as the catalog declares them now. */
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

/** Types of the engine, as `DESCRIBE` names them, in the words of Delta. */
const STORED_TYPES: ReadonlyMap<string, FieldType> = new Map(
  Object.entries(FIELD_TYPES).map(([type, field]) => [STORED[type as ColumnType], field]),
)

/** A column as a part has it: what it means, and whether it may be null, is not told there. @throws Error for a type no column has */
export function storedField(name: string, stored: string): Field {
  const type = STORED_TYPES.get(stored)
  if (type === undefined) throw new Error(`column ${name} is stored as ${stored}, which no column is`)
  return { name, type, nullable: true, metadata: {} }
}

/**
 * The declaration of a dataset as a table's.
 *
 * @param synthetic whether the rows are samples, which description and configuration then say
 * @param fields of the release, where it was written for other columns than the catalog declares now
 */
export const tableMetadata = (dataset: Dataset, synthetic: boolean, fields: readonly Field[] = declaredFields(dataset)): TableMetadata => ({
  id: tableId(dataset),
  name: tableName(dataset),
  description: `${synthetic ? 'Sample data, made up. ' : ''}${dataset.title}. ${dataset.description}`,
  format: { provider: 'parquet', options: {} },
  schemaString: JSON.stringify({ type: 'struct', fields }),
  partitionColumns: [],
  configuration: { 'delta.enableInCommitTimestamps': 'true', ...syntheticProperty(synthetic) },
})

/** The table property that marks samples; none where the rows are real. */
export const syntheticProperty = (synthetic: boolean): Readonly<Record<string, string>> => (synthetic ? { 'twmd.synthetic': 'true' } : {})

/** UUID of version 8, of the sha256 of the name on disk: the same on every machine. */
export function tableId({ slug }: Dataset): string {
  const hex = createHash('sha256')
    .update(`twmd table ${storedName(slug)}`)
    .digest('hex')
  const variant = ((Number.parseInt(hex[16]!, 16) & 3) | 8).toString(16)
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `${variant}${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-')
}
