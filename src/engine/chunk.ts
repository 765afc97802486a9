/** Rows as the engine hands them over: columns of machine values, a couple of thousand rows at a time. */
export interface Chunk {
  readonly rows: number
  column(index: number): ColumnVector
}

/** Valid while its chunk is referenced; copy what must outlive it. */
export interface ColumnVector {
  /**
   * By type: DATE Int32 days since 1970 · BIGINT and TIMESTAMP (µs, UTC) BigInt64 · DOUBLE Float64 · BOOLEAN one byte a row ·
   * VARCHAR 16 bytes a row: length, then up to 12 bytes of text in place, or a pointer.
   */
  readonly items: Int32Array | BigInt64Array | Float64Array | Uint8Array
  /** One bit a row, lowest first, 1 for a value; null when every row has one. */
  readonly valid: Uint8Array | null
  /** The text of a VARCHAR row. */
  text(row: number): string
}

export const isValid = (valid: Uint8Array | null, row: number): boolean => valid === null || ((valid[row >> 3]! >> (row & 7)) & 1) === 1
