/** A batch of rows: columns of machine values. */
export interface Chunk {
  readonly rows: number
  column(index: number): ColumnVector
  /**
   * Tells that the batch was gone through, so that what it takes beside its result is given back at once: columns taken before must not be
   * looked at any more, and are copied anew where they are asked for again. Absent where nothing is given back.
   */
  done?(): void
}

/** How much a result holds. */
export interface ResultSize {
  readonly rows: number
  /** What the rows take of memory, about, told from some of them; 0 of few rows. */
  readonly bytes: number
}

/** Machine values of any width. What a number means follows from the type of its column. */
export type Items = Int8Array | Int16Array | Int32Array | BigInt64Array | Float64Array | Uint8Array | Uint16Array | Uint32Array

/**
 * One column of a batch, read-only. What comes from the engine is valid until its result is freed; copy what must outlive it.
 */
export interface ColumnVector {
  /**
   * The batch's first row lies at index `from`. By the column's type:
   *
   * - DATE: Int32, days since 1970
   * - BIGINT: BigInt64 from the engine; in memory Int8, Int16, Int32 or, beyond 32 bits, Float64, whose whole numbers are exact within ±2^53
   * - TIMESTAMP: µs since 1970, UTC, in BigInt64 from the engine and in Float64 in memory
   * - DOUBLE: Float64
   * - BOOLEAN: Uint8, 0 or 1
   * - VARCHAR: codes of `dictionary`, in Uint8, Uint16 or Uint32. From the engine, which has none, Uint8 with 16 bytes a row: length, then
   *   up to 12 bytes of text in place, or a pointer
   */
  readonly items: Items
  /** Index in `items`, and bit in `valid`, of the batch's first row. */
  readonly from: number
  /** One bit per row, lowest first, 1 where the row has a value; null when every row has one. */
  readonly valid: Uint8Array | null
  /** The texts that `items` are codes of; null for other types, and for text from the engine. */
  readonly dictionary: Dictionary | null
  /** The text of a VARCHAR row. */
  text(row: number): string
}

/** Distinct texts, by code from 0, as UTF-8. */
export interface Dictionary {
  /** The texts one after another, each padded with zeros to whole words of eight bytes. */
  readonly octets: Float64Array
  /** Index in `octets` of each text. */
  readonly starts: Uint32Array
  /** Bytes of each text. */
  readonly lengths: Uint32Array
  /** 1 for each text that a JSON string cannot hold as it is. */
  readonly escaped: Uint8Array
}

/** True where the row has a value. */
export function isValid({ valid, from }: Pick<ColumnVector, 'valid' | 'from'>, row: number): boolean {
  const bit = from + row
  return valid === null || ((valid[bit >> 3]! >> (bit & 7)) & 1) === 1
}

const NEEDS_ESCAPE = /[\p{Cc}\p{Cs}"\\]/u

/** True for a text that a JSON string cannot hold as it is. */
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

/** The bytes of a text of a dictionary; not a copy. */
export function textBytes({ octets, starts, lengths }: Dictionary, code: number): Buffer {
  return Buffer.from(octets.buffer, octets.byteOffset + 8 * starts[code]!, lengths[code]!)
}
