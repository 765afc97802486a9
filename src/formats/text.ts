import type { ColumnVector } from '../engine/index.ts'
import { room, type Sink } from './sink.ts'

const QUOTE = 34
const BACKSLASH = 92
/** Text up to this length lies in the cell itself. */
const IN_PLACE = 12
const NEEDS_ESCAPE = /[\p{Cc}\p{Cs}"\\]/u

/**
 * Writes VARCHAR cells: as JSON strings, or untouched where the column holds JSON already.
 *
 * Neighbouring rows mostly repeat a value, and equal 16-byte cells are equal texts, so a repeated long text is copied, not decoded.
 *
 * @param after bytes there must be room for behind a long text
 */
export function writeText(vector: ColumnVector, isJson: boolean, after: number): (sink: Sink, at: number, row: number) => number {
  const cells = vector.items as Uint8Array
  const words = new Uint32Array(cells.buffer, cells.byteOffset, cells.length / 4)
  let before = -1
  let encoded = Buffer.alloc(0)
  return (sink, at, row) => {
    const length = words[4 * row]!
    if (length <= IN_PLACE && !isJson) {
      const end = writeInPlace(sink.bytes, at, cells, 16 * row + 4, length)
      if (end >= 0) return end
    }
    if (before < 0 || !sameCell(words, 4 * row, 4 * before)) {
      encoded = Buffer.from(isJson ? vector.text(row) : jsonString(vector.text(row)))
      before = row
    }
    const from = room(sink, at, encoded.length + after)
    sink.bytes.set(encoded, from)
    return from + encoded.length
  }
}

const sameCell = (words: Uint32Array, a: number, b: number): boolean =>
  words[a] === words[b] && words[a + 1] === words[b + 1] && words[a + 2] === words[b + 2] && words[a + 3] === words[b + 3]

/** @returns where the next byte goes, or -1 when a byte needs escaping */
function writeInPlace(bytes: Uint8Array, at: number, cells: Uint8Array, from: number, length: number): number {
  bytes[at] = QUOTE
  for (let index = 0; index < length; index++) {
    const byte = cells[from + index]!
    if (byte < 32 || byte === QUOTE || byte === BACKSLASH) return -1
    bytes[at + 1 + index] = byte
  }
  bytes[at + 1 + length] = QUOTE
  return at + length + 2
}

const jsonString = (text: string): string => (NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`)
