import type { ColumnVector, Dictionary } from '../engine/index.ts'

export interface TextCursor {
  bytes: Uint8Array
  start: number
  length: number
  /** The row must not be null. */
  readonly move: (row: number) => void
}

const IN_PLACE = 12

export const textsOf = (vector: ColumnVector): TextCursor => (vector.dictionary ? codedTexts(vector, vector.dictionary) : cellTexts(vector))

function codedTexts({ items, from }: ColumnVector, { octets, starts, lengths }: Dictionary): TextCursor {
  const codes = items as Uint8Array | Uint16Array | Uint32Array
  const cursor = {
    bytes: new Uint8Array(octets.buffer, octets.byteOffset, octets.byteLength),
    start: 0,
    length: 0,
    move(row: number) {
      const code = codes[from + row]!
      cursor.start = 8 * starts[code]!
      cursor.length = lengths[code]!
    },
  }
  return cursor
}

/** Adjacent rows often repeat a text. Cells with equal bytes have equal texts. */
function cellTexts(vector: ColumnVector): TextCursor {
  const cells = vector.items as Uint8Array
  const words = new Uint32Array(cells.buffer, cells.byteOffset, cells.length / 4)
  let decodedRow = -1
  let decoded = new Uint8Array()
  const isDecoded = (row: number): boolean => {
    if (decodedRow < 0) return false
    for (let word = 0; word < 4; word++) if (words[4 * row + word] !== words[4 * decodedRow + word]) return false
    return true
  }
  const cursor = {
    bytes: cells,
    start: 0,
    length: 0,
    move(row: number) {
      const length = words[4 * row]!
      if (length <= IN_PLACE) {
        cursor.bytes = cells
        cursor.start = 16 * row + 4
        cursor.length = length
        return
      }
      if (!isDecoded(row)) decoded = Buffer.from(vector.text(row))
      decodedRow = row
      cursor.bytes = decoded
      cursor.start = 0
      cursor.length = decoded.length
    },
  }
  return cursor
}
