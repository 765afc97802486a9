/**
 * How a value is stored and sent.
 *
 * text VARCHAR · date DATE, sent `YYYY-MM-DD` · timestamp TIMESTAMP in UTC, sent RFC 3339 with `+08:00` · number DOUBLE ·
 * integer BIGINT within ±2^53, sent as a JSON number · boolean BOOLEAN · json VARCHAR holding one JSON value, sent as that value.
 */
export type ColumnType = 'text' | 'date' | 'timestamp' | 'number' | 'integer' | 'boolean' | 'json'

export type Unit = 'percent' | 'ratio' | 'shares' | 'days' | 'years' | 'TWD' | 'TWD thousand' | 'TWD per share' | 'index points' | 'depth'

export interface Column {
  readonly type: ColumnType
  readonly unit?: Unit
  /** Absent values are allowed and sent as `null`; publication refuses a null in any other column. */
  readonly nullable?: true
  /** Meaning, sign and what null says, in one or two sentences. */
  readonly doc: string
  /** 中文 label, as the exchange words it where it has a word. */
  readonly zh: string
  /** Where the row comes from rather than what it says. */
  readonly provenance?: true
  /**
   * DuckDB expression that defines the column: written here once, computed by publication, never typed by a source.
   * It may name the dataset's stored columns, columns joined by `derive`, and earlier derived columns; `history` is the
   * window over one key in date order.
   */
  readonly derived?: string
}

/** A value as it enters publication: text for dates and JSON columns, numbers as numbers, `null` for absent. */
export type Value = string | number | boolean | null
/** One row by column name. Missing names are null. */
export type Row = Readonly<Record<string, unknown>>
