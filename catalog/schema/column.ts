/**
 * Storage type and response format of a value:
 *
 * - `text`: VARCHAR
 * - `date`: DATE, sent as `YYYY-MM-DD`
 * - `timestamp`: TIMESTAMP in UTC, sent as RFC 3339 with `+08:00`
 * - `number`: DOUBLE
 * - `integer`: BIGINT within ±2^53, sent as a JSON number
 * - `boolean`: BOOLEAN
 * - `json`: VARCHAR that contains one JSON value, sent as this JSON value
 */
export const COLUMN_TYPES = ['text', 'date', 'timestamp', 'number', 'integer', 'boolean', 'json'] as const
export type ColumnType = (typeof COLUMN_TYPES)[number]

/**
 * Shape of a JSON value: a scalar, a list, or an object with named members. Every part of the value
 * may be null, and every member may be absent.
 */
export type JsonShape = JsonScalar | NestedShape
export type NestedShape = { readonly list: JsonShape } | { readonly members: Readonly<Record<string, JsonShape>> }
export type JsonScalar = 'text' | 'number' | 'boolean'

export type Unit =
  | 'percent'
  | 'ratio'
  | 'shares'
  | 'days'
  | 'years'
  | 'TWD'
  | 'TWD thousand'
  | 'TWD per share'
  | 'index points'
  | 'contracts'
  | 'lots'
  | 'depth'

/** One column of a dataset, as responses show it. */
export interface Column {
  readonly type: ColumnType
  /**
   * Shape of a `json` column. Arrow and Parquet responses send the column as LIST and STRUCT.
   * Absent if the shape differs between rows. Arrow and Parquet then contain the value as JSON
   * text.
   */
  readonly shape?: NestedShape
  readonly unit?: Unit
  /** True if the column may contain nulls. In all other columns, publication rejects nulls. */
  readonly nullable?: true
  /**
   * For nullable columns. True if null means that the column does not apply to the row. False if
   * null means that a value is missing. Completeness counts only missing values.
   */
  readonly mayNotApply?: true
  /** One or two sentences about the meaning of the value, of its sign and of null. */
  readonly doc: string
  readonly docZh: string
  /** Chinese label. Uses the exchange's own term if there is one. */
  readonly zh: string
  /** True if the column describes the source of the row instead of the security or event. */
  readonly provenance?: true
  /**
   * DuckDB expression with which publication computes the column. Sources do not supply the column.
   * The expression may use stored columns of the dataset, columns joined by `derive`, and derived
   * columns that are declared earlier. `history` is the window over the rows of one key in date
   * order.
   */
  readonly derived?: string
  /**
   * DuckDB expression with which reads compute the column from stored columns. Its result has the
   * stored type of `type`. Parts (the Parquet files of a release) do not contain the column, so it
   * also exists in releases that are older than its declaration. Grain, key, date, slices, fields,
   * search and rules cannot use the column.
   */
  readonly virtual?: string
}

/**
 * A value in the form that publication receives. Dates and JSON are texts. Absent values are null.
 */
export type Value = string | number | boolean | null
/** One row, keyed by column name. A missing name means null. */
export type Row = Readonly<Record<string, unknown>>
