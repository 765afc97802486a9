/**
 * Storage type and wire format of a value:
 *
 * - `text`: VARCHAR
 * - `date`: DATE, sent as `YYYY-MM-DD`
 * - `timestamp`: TIMESTAMP in UTC, sent as RFC 3339 with `+08:00`
 * - `number`: DOUBLE
 * - `integer`: BIGINT within ±2^53, sent as a JSON number
 * - `boolean`: BOOLEAN
 * - `json`: VARCHAR holding one JSON value, sent as that value
 */
export const COLUMN_TYPES = ['text', 'date', 'timestamp', 'number', 'integer', 'boolean', 'json'] as const
export type ColumnType = (typeof COLUMN_TYPES)[number]

/**
 * Shape of a JSON value: a scalar, a list, or an object with these members. Any part may be null,
 * and any member may be absent.
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

/** One column of a dataset, as in answers. */
export interface Column {
  readonly type: ColumnType
  /**
   * Only for `json` columns: the shape that Arrow and Parquet responses send as LIST and STRUCT.
   * Absent if the shape differs from row to row; the value is then sent as JSON text.
   */
  readonly shape?: NestedShape
  readonly unit?: Unit
  /**
   * True if values may be absent. They are sent as `null`. In other columns, publication rejects
   * nulls.
   */
  readonly nullable?: true
  /**
   * For nullable columns: true if null means that the column does not apply to the row, and not
   * that a value is missing. Completeness does not count such columns.
   */
  readonly mayNotApply?: true
  /** Explains the meaning, the sign and the meaning of null, in one or two sentences. */
  readonly doc: string
  /** `doc` in Chinese (zh-TW). */
  readonly docZh: string
  /** Chinese label. The exchange's own term if there is one. */
  readonly zh: string
  /** True if the column describes the source of the row, and not the security or event. */
  readonly provenance?: true
  /**
   * DuckDB expression that computes the column at publication. Sources do not supply the column.
   * The expression may use the dataset's stored columns, columns joined by `derive`, and earlier
   * derived columns. `history` is the window over one key in date order.
   */
  readonly derived?: string
  /**
   * DuckDB expression over the dataset's stored columns, with the stored type of `type`. Reads
   * compute the column, and parts do not contain it. So the column also exists in releases from
   * before its declaration. Grain, key, date, slices, fields, search and rules cannot use it.
   */
  readonly virtual?: string
}

/**
 * A value as publication receives it: text for dates and JSON columns, numbers as numbers, `null`
 * if absent.
 */
export type Value = string | number | boolean | null
/** One row by column name. A missing name means null. */
export type Row = Readonly<Record<string, unknown>>
