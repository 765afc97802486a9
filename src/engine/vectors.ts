/** A chunk of rows as column vectors. */
export interface Chunk {
  readonly rows: number
  column(index: number): ColumnVector
  /**
   * Frees the copy of the chunk's rows. Columns that were read before must no longer be used;
   * reading them again creates another copy. Absent if there is nothing to free.
   */
  free?(): void
}

export interface ResultSize {
  readonly rows: number
  /** Approximate memory of the rows, estimated from a sample. 0 for fewer than 100 rows. */
  readonly bytes: number
}

/** Values of a column, in one of several widths. */
export type Items = Int8Array | Int16Array | Int32Array | BigInt64Array | Float64Array | Uint8Array | Uint16Array | Uint32Array

/**
 * One column of a chunk, read-only. Columns of the engine are valid until their result is freed.
 */
export interface ColumnVector {
  /**
   * Values; the chunk's first row is at index `from`. By the column's type:
   *
   * - DATE: Int32, days since 1970
   * - BIGINT: BigInt64 from the engine. In the row cache Int8, Int16 or Int32; beyond 32 bits
   * Float64, exact within ±2^53
   * - TIMESTAMP: µs since 1970, UTC; BigInt64 from the engine, Float64 in the row cache
   * - DOUBLE: Float64
   * - BOOLEAN: Uint8, 0 or 1
   * - VARCHAR: codes of `dictionary` in Uint8, Uint16 or Uint32. From the engine: Uint8 without a
   * dictionary, 16 bytes per row: length, then up to 12 bytes of inline text, or a pointer
   */
  readonly items: Items
  /** Index in `items`, and bit in `valid`, of the chunk's first row. */
  readonly from: number
  /** One bit per row, lowest first. 0 means null. Null if no row is null. */
  readonly valid: Uint8Array | null
  /** Texts of the codes in `items`. Null for other types, and for text from the engine. */
  readonly dictionary: Dictionary | null
  /** The text of a VARCHAR row. */
  text(row: number): string
}

/** Distinct texts by code, as UTF-8. */
export interface Dictionary {
  /** Concatenated texts, each padded with zeros to a multiple of eight bytes. */
  readonly octets: Float64Array
  /** Index in `octets` of each text. */
  readonly starts: Uint32Array
  /** Length of each text in bytes. */
  readonly lengths: Uint32Array
  /** 1 if the text must be escaped in a JSON string. */
  readonly escaped: Uint8Array
}

/** True if the row is not null. */
export function isValid({ valid, from }: Pick<ColumnVector, 'valid' | 'from'>, row: number): boolean {
  const bit = from + row
  return valid === null || ((valid[bit >> 3]! >> (bit & 7)) & 1) === 1
}

const NEEDS_ESCAPE = /[\p{Cc}\p{Cs}"\\]/u

/** True if a text must be escaped in a JSON string. */
export const needsEscape = (text: string): boolean => NEEDS_ESCAPE.test(text)

/** @param texts in the order of their codes */
export function dictionaryOf(texts: readonly string[]): Dictionary {
  const encoded = texts.map(text => Buffer.from(text))
  const octets = new Float64Array(encoded.reduce((sum, { length }) => sum + wordsOf(length), 0))
  const bytes = new Uint8Array(octets.buffer)
  const starts = new Uint32Array(texts.length)
  let next = 0
  for (const [code, text] of encoded.entries()) {
    starts[code] = next
    bytes.set(text, 8 * next)
    next += wordsOf(text.length)
  }
  return {
    octets,
    starts,
    lengths: Uint32Array.from(encoded, ({ length }) => length),
    escaped: Uint8Array.from(texts, text => (needsEscape(text) ? 1 : 0)),
  }
}

const wordsOf = (bytes: number): number => Math.ceil(bytes / 8)

/** The bytes of a dictionary text; a view, not a copy. */
export function textBytes({ octets, starts, lengths }: Dictionary, code: number): Buffer {
  return Buffer.from(octets.buffer, octets.byteOffset + 8 * starts[code]!, lengths[code]!)
}
