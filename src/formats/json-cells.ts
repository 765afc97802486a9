import { type ColumnVector, type Dictionary, needsEscape, textBytes } from '../engine/index.ts'
import { writeFour, writeTwo } from './number.ts'
import { reserve, type Sink } from './sink.ts'

const [QUOTE, DASH, BACKSLASH] = [34, 45, 92]
/** DuckDB stores texts of at most this many bytes in the cell. */
const IN_PLACE = 12

/** Writes a cell that is not null, and returns the offset of the next byte. */
export type Cell = (sink: Sink, offset: number, row: number) => number

/**
 * Writes JSON strings. Texts of JSON columns are copied unchanged.
 *
 * @param after number of bytes to reserve after a long text
 */
export const writeText = (vector: ColumnVector, isJson: boolean, after: number): Cell =>
  vector.dictionary ? writeCode(vector, vector.dictionary, isJson, after) : writeCell(vector, isJson, after)

/** Longer texts reserve additional bytes. */
const SHORT = 24

function writeCode({ items, from }: ColumnVector, dictionary: Dictionary, isJson: boolean, after: number): Cell {
  const { octets, starts, lengths, escaped } = dictionary
  const codes = items as Uint32Array
  return (sink, before, row) => {
    const code = codes[from + row]!
    const length = lengths[code]!
    if (escaped[code] === 1 && !isJson) {
      const text = Buffer.from(JSON.stringify(textBytes(dictionary, code).toString()))
      const offset = reserve(sink, before, text.length + after)
      sink.bytes.set(text, offset)
      return offset + text.length
    }
    // Copies whole words of 8 bytes, which overwrites the bytes after the text.
    const offset = length > SHORT ? reserve(sink, before, length + 10 + after) : before
    const { view } = sink
    let to = offset
    if (!isJson) view.setUint8(to++, QUOTE)
    const end = to + length
    for (let word = starts[code]!; to < end; word++, to += 8) view.setFloat64(to, octets[word]!, true)
    if (isJson) return end
    view.setUint8(end, QUOTE)
    return end + 1
  }
}

/** Adjacent rows often repeat a text. Cells with equal bytes have equal texts. */
function writeCell(vector: ColumnVector, isJson: boolean, after: number): Cell {
  const cells = vector.items as Uint8Array
  const words = new Uint32Array(cells.buffer, cells.byteOffset, cells.length / 4)
  let before = -1
  let encoded = Buffer.alloc(0)
  return (sink, offset, row) => {
    const length = words[4 * row]!
    if (length <= IN_PLACE && !isJson) {
      const end = writeInPlace(sink.bytes, offset, cells, 16 * row + 4, length)
      if (end >= 0) return end
    }
    if (before < 0 || !sameCell(words, 4 * row, 4 * before)) {
      encoded = Buffer.from(isJson ? vector.text(row) : jsonString(vector.text(row)))
      before = row
    }
    const from = reserve(sink, offset, encoded.length + after)
    sink.bytes.set(encoded, from)
    return from + encoded.length
  }
}

const sameCell = (words: Uint32Array, a: number, b: number): boolean =>
  words[a] === words[b] && words[a + 1] === words[b + 1] && words[a + 2] === words[b + 2] && words[a + 3] === words[b + 3]

/** @returns offset of the next byte, or -1 if a byte must be escaped */
function writeInPlace(bytes: Uint8Array, offset: number, cells: Uint8Array, from: number, length: number): number {
  bytes[offset] = QUOTE
  for (let index = 0; index < length; index++) {
    const byte = cells[from + index]!
    if (byte < 32 || byte === QUOTE || byte === BACKSLASH) return -1
    bytes[offset + 1 + index] = byte
  }
  bytes[offset + 1 + length] = QUOTE
  return offset + length + 2
}

const jsonString = (text: string): string => (needsEscape(text) ? JSON.stringify(text) : `"${text}"`)

export function writeDay(view: DataView, offset: number, day: number): number {
  view.setUint8(offset, QUOTE)
  view.setUint8(writeDate(view, offset + 1, day), QUOTE)
  return offset + 12
}

/**
 * Supports the years 1 to 9999. The calculation starts years in March, so that a leap day is the
 * last day of a year. Publications reject other years.
 *
 * @returns offset of the next byte
 */
export function writeDate(view: DataView, offset: number, day: number): number {
  const since = (day + 719_468) | 0
  const cycle = (since / 146_097) | 0
  const inCycle = (since - cycle * 146_097) | 0
  const yearOf = ((inCycle - ((inCycle / 1_460) | 0) + ((inCycle / 36_524) | 0) - ((inCycle / 146_096) | 0)) / 365) | 0
  const inYear = (inCycle - (365 * yearOf + (yearOf >> 2) - ((yearOf / 100) | 0))) | 0
  const fromMarch = ((5 * inYear + 2) / 153) | 0
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
  view.setUint8(writeFour(view, offset, cycle * 400 + yearOf + (month < 3 ? 1 : 0)), DASH)
  view.setUint8(writeTwo(view, offset + 5, month), DASH)
  return writeTwo(view, offset + 8, inYear - (((153 * fromMarch + 2) / 5) | 0) + 1)
}
