import type { Column, ColumnType } from '../../catalog/index.ts'
import { taipeiText } from '../core/index.ts'
import { type Chunk, type ColumnVector, isValid } from '../engine/index.ts'
import { writeDay } from './day.ts'
import { wholeOf, writeDouble, writeInteger } from './number.ts'
import type { Page } from './page.ts'
import { openSink, room, type Sink, written } from './sink.ts'
import { writeText } from './text.ts'
import { type Word, wordOf, writeWord } from './word.ts'

/** Writes one cell that is not null. @returns where the next byte goes */
type Cell = (sink: Sink, at: number, row: number) => number

/** What every row of an answer shares. */
interface RowShape {
  readonly types: readonly ColumnType[]
  /** Names, each with what comes before it: a comma and, for the first, the row's brace. */
  readonly keys: readonly Word[]
  /** Bytes a row takes at most while no text is long. */
  readonly most: number
}

const NULL = wordOf('null')
const TRUE = wordOf('true')
const FALSE = wordOf('false')
const CLOSE = 125
/** Longest cell but for long text: a number, a date or a timestamp with its quotes. */
const FIXED_WIDTH = 40
/** What a cell mostly takes beside its name, so that the answer is allocated once; where it takes more, the answer grows. */
const LIKELY_CELL = 12
/** Rows between two looks at the event loop, so one long answer does not hold up short ones. */
const ROWS_PER_TURN = 8_192

/**
 * The page's rows as JSON objects separated by commas, without the brackets: names in the columns' order, numbers as
 * `JSON.stringify` writes them, absent values `null`. In pieces, cut anywhere.
 */
export async function encodeJsonRows(
  columns: Readonly<Record<string, Column>>,
  names: readonly string[],
  page: Page,
): Promise<readonly Buffer[]> {
  const keys = names.map((name, index) => keyOf(index > 0 ? LATER : FIRST, name))
  const named = keys.reduce((sum, { length }) => sum + length, 0)
  const shape = { types: names.map(name => columns[name]!.type), keys, most: named + keys.length * FIXED_WIDTH }
  const sink = openSink(page.rows * (named + keys.length * LIKELY_CELL) + shape.most)
  let left = page.rows
  let sinceTurn = 0
  for (const chunk of page.chunks) {
    const rows = Math.min(chunk.rows, left)
    writeChunk(sink, chunk, rows, shape)
    left -= rows
    sinceTurn += rows
    if (sinceTurn < ROWS_PER_TURN) continue
    sinceTurn = 0
    await new Promise(setImmediate)
  }
  // The first row has a comma before it, too.
  const [first, ...rest] = written(sink)
  return [first!.subarray(1), ...rest]
}

/** Names by what comes before them, each made once: the catalog has a few hundred. */
const [FIRST, LATER] = [
  { before: ',{', known: new Map<string, Word>() },
  { before: ',', known: new Map<string, Word>() },
]

function keyOf({ before, known }: typeof FIRST, name: string): Word {
  const word = known.get(name) ?? wordOf(`${before}${JSON.stringify(name)}:`)
  known.set(name, word)
  return word
}

function writeChunk(sink: Sink, chunk: Chunk, rows: number, { types, keys, most }: RowShape): void {
  const vectors = types.map((_, index) => chunk.column(index))
  const cells = vectors.map((vector, index) => WRITERS[types[index]!](vector, most))
  const valid = vectors.map(vector => vector.valid)
  for (let row = 0; row < rows; row++) {
    let at = room(sink, sink.at, most)
    for (let index = 0; index < cells.length; index++) {
      at = writeWord(sink.view, at, keys[index]!)
      at = isValid(valid[index]!, row) ? cells[index]!(sink, at, row) : writeWord(sink.view, at, NULL)
    }
    sink.bytes[at++] = CLOSE
    sink.at = at
  }
}

/** The halves of 64-bit cells, low before high, so that no BigInt is made. */
const halvesOf = ({ items }: ColumnVector): Int32Array => new Int32Array(items.buffer, items.byteOffset, items.byteLength / 4)

/** @param after bytes a long text leaves room for: the rest of its row */
const WRITERS: Readonly<Record<ColumnType, (vector: ColumnVector, after: number) => Cell>> = {
  text: (vector, after) => writeText(vector, false, after),
  json: (vector, after) => writeText(vector, true, after),
  date: ({ items }) => {
    const days = items as Int32Array
    return ({ view }, at, row) => writeDay(view, at, days[row]!)
  },
  timestamp: vector => {
    const halves = halvesOf(vector)
    return ({ bytes }, at, row) => at + bytes.write(`"${taipeiText(wholeOf(halves[2 * row + 1]!, halves[2 * row]!))}"`, at, 'latin1')
  },
  number: ({ items }) => {
    const doubles = items as Float64Array
    return (sink, at, row) => writeDouble(sink, at, doubles[row]!)
  },
  integer: vector => {
    const halves = halvesOf(vector)
    return ({ view }, at, row) => writeInteger(view, at, halves[2 * row + 1]!, halves[2 * row]!)
  },
  boolean: ({ items }) => {
    const flags = items as Uint8Array
    return ({ view }, at, row) => writeWord(view, at, flags[row] === 1 ? TRUE : FALSE)
  },
}
