export interface Chunk {
  readonly rows: number
  column(index: number): ColumnVector
  /** Frees the copied rows and invalidates earlier vectors. Absent if nothing can be freed. */
  free?(): void
}

export interface ResultSize {
  readonly rows: number
  /** Estimated size in bytes. 0 for fewer than 100 rows. */
  readonly bytes: number
}

export type Items = Int8Array | Int16Array | Int32Array | BigInt64Array | Float64Array | Uint8Array | Uint16Array | Uint32Array

export interface ColumnVector {
  /**
   * Values of the column. The value of the chunk's first row is at index `from`. The meaning
   * depends on the column's type:
   *
   * - DATE: Int32, days since 1970
   * - BIGINT from the engine: BigInt64
   * - BIGINT from the row cache: Int8, Int16 or Int32. Float64 if a value exceeds 32 bits; exact
   * within ±2^53.
   * - TIMESTAMP: µs since 1970 in UTC. BigInt64 from the engine, Float64 from the row cache.
   * - DOUBLE: Float64
   * - BOOLEAN: Uint8, 0 or 1
   * - VARCHAR from the engine: Uint8 without a dictionary, 16 bytes per row. The bytes contain the
   * length, followed by a text of up to 12 bytes or a pointer to a longer text.
   * - VARCHAR from other sources: codes of `dictionary` in Uint8, Uint16 or Uint32
   */
  readonly items: Items
  /** Index of the chunk's first row in `items` and `valid`. */
  readonly from: number
  /** One bit per row, lowest bit first. 0 means null. Null if no row is null. */
  readonly valid: Uint8Array | null
  /** Texts for the codes in `items`. Null if `items` has no codes. */
  readonly dictionary: Dictionary | null
  text(row: number): string
}

/** Distinct texts in UTF-8. A code is the index of a text. */
export interface Dictionary {
  /** All texts, each padded with zeros to a multiple of eight bytes. */
  readonly octets: Float64Array
  /** Index in `octets` at which each text starts. */
  readonly starts: Uint32Array
  /** Bytes of each text. */
  readonly lengths: Uint32Array
  /** 1 if JSON must escape the text, otherwise 0. */
  readonly escaped: Uint8Array
}

export function isValid({ valid, from }: Pick<ColumnVector, 'valid' | 'from'>, row: number): boolean {
  const bit = from + row
  return valid === null || ((valid[bit >> 3]! >> (bit & 7)) & 1) === 1
}

const NEEDS_ESCAPE = /[\p{Cc}\p{Cs}"\\]/u

export const needsEscape = (text: string): boolean => NEEDS_ESCAPE.test(text)

/** @param texts the texts, in the order of their codes */
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

/** Returns a view, not a copy. */
export function textBytes({ octets, starts, lengths }: Dictionary, code: number): Buffer {
  return Buffer.from(octets.buffer, octets.byteOffset + 8 * starts[code]!, lengths[code]!)
}
