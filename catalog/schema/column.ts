/**
 * Storage type and response format:
 * - `text`: VARCHAR
 * - `date`: DATE, sent as `YYYY-MM-DD`
 * - `timestamp`: TIMESTAMP in UTC, sent as RFC 3339 with `+08:00`
 * - `number`: DOUBLE
 * - `integer`: BIGINT within ±2^53, sent as a JSON number
 * - `boolean`: BOOLEAN
 * - `json`: VARCHAR with one JSON value, sent as JSON
 */
export const COLUMN_TYPES = ['text', 'date', 'timestamp', 'number', 'integer', 'boolean', 'json'] as const
export type ColumnType = (typeof COLUMN_TYPES)[number]

/** A scalar, a list, or an object. Every part may be null, and every member may be absent. */
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

/** One column of a dataset. */
export interface Column {
  readonly type: ColumnType
  /**
   * Shape of a `json` column, which Arrow and Parquet send as LIST and STRUCT. Absent if rows
   * differ in shape; the value is then JSON text.
   */
  readonly shape?: NestedShape
  readonly unit?: Unit
  /** True if nulls are accepted. In all other columns, publication rejects nulls. */
  readonly nullable?: true
  /**
   * True if null means that the column does not apply to the row. Otherwise null means a missing
   * value. Completeness counts only missing values.
   */
  readonly mayNotApply?: true
  /** Meaning of the value, of its sign and of null, in one or two sentences. */
  readonly doc: string
  readonly docZh: string
  /** Chinese label, in the exchange's own terms. */
  readonly zh: string
  /** True if the column describes the source of the row. */
  readonly provenance?: true
  /**
   * DuckDB expression for a column that publication computes. `history` is the window over one key
   * in date order. May use stored columns, columns joined by `derive`, and derived columns that
   * are declared earlier.
   */
  readonly derived?: string
  /**
   * DuckDB expression for a column that reads compute. The column is not stored, so older releases
   * also have it. Grain, key, date, slices, fields, search and rules cannot use the column.
   */
  readonly virtual?: string
}

/** A value as publication receives it. Dates and JSON are texts. */
export type Value = string | number | boolean | null
/** Keyed by column. A missing name means null. */
export type Row = Readonly<Record<string, unknown>>
