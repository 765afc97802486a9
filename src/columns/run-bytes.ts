import { type Dictionary, dictionaryOf, type Items, isValid, textBytes } from '../engine/index.ts'
import type { Block, Run, StoredColumn, StoredColumns } from './block.ts'
import { overheadOf, VIEW_BYTES } from './block-bytes.ts'
import type { BlockTexts } from './row-texts.ts'

/** Forms in which a column's values may lie, by the number that stands for them in the bytes. */
const FORMS = [Int8Array, Int16Array, Int32Array, Float64Array, Uint8Array, Uint16Array, Uint32Array] as const
/** 32-bit numbers that precede the values, for each column: form of the items, their bytes, those of the validity bits, texts and one more, bytes of the texts. */
const FIELDS = 5
/** Of an array: the reader looks at the bytes in place, as whole words of eight bytes. */
const padded = (bytes: number): number => (bytes + 7) & ~7

type OwnArray = Items | Uint8Array
/** Where the arrays of a run lie in its bytes. */
interface Laid {
  readonly fields: readonly number[]
  readonly arrays: readonly OwnArray[]
}

/**
 * The first rows of a run as bytes that `blockOfBytes` understands, in the order of bytes of this machine. Their length is a multiple of eight.
 *
 * @param rows at most so many
 */
export function bytesOf({ columns, from, to }: Run, rows: number): Buffer {
  const end = Math.min(to, from + rows)
  const laid = [...columns.values()].map(column => laidOut(column, from, end))
  const head = Uint32Array.from([end - from, ...laid.flatMap(({ fields }) => fields)])
  const arrays = [head, ...laid.flatMap(column => column.arrays)]
  const bytes = Buffer.alloc(arrays.reduce((sum, { byteLength }) => sum + padded(byteLength), 0))
  let at = 0
  for (const { buffer, byteOffset, byteLength } of arrays) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at)
    at += padded(byteLength)
  }
  return bytes
}

function laidOut(column: StoredColumn, from: number, to: number): Laid {
  const { items, dictionary } = column.dictionary
    ? recoded(column, column.dictionary, from, to)
    : { items: column.items.slice(from, to), dictionary: null }
  const bits = bitsOf(column, from, to)
  const form = FORMS.findIndex(Form => items instanceof Form)
  const texts = dictionary ? [dictionary.octets, dictionary.starts, dictionary.lengths, dictionary.escaped] : []
  return {
    fields: [
      form,
      items.byteLength,
      bits?.byteLength ?? 0,
      dictionary ? dictionary.starts.length + 1 : 0,
      dictionary?.octets.byteLength ?? 0,
    ],
    arrays: [items, ...(bits ? [bits] : []), ...texts],
  }
}

/** Codes of a dictionary of the texts that these rows have. */
function recoded(column: StoredColumn, dictionary: Dictionary, from: number, to: number): Pick<StoredColumn, 'items' | 'dictionary'> {
  const codes = new Uint32Array(to - from)
  const known = new Map<number, number>()
  for (let row = from; row < to; row++) {
    if (!isValid({ valid: column.valid, from: 0 }, row)) continue
    const former = column.items[row] as number
    const code = known.get(former) ?? known.size
    known.set(former, code)
    codes[row - from] = code
  }
  const Narrow = known.size <= 256 ? Uint8Array : known.size <= 65_536 ? Uint16Array : Uint32Array
  return { items: new Narrow(codes), dictionary: dictionaryOf([...known.keys()].map(code => textBytes(dictionary, code).toString())) }
}

/** Null where every row has a value. */
function bitsOf({ valid }: StoredColumn, from: number, to: number): Uint8Array | null {
  if (valid === null) return null
  const bits = new Uint8Array((to - from + 7) >> 3)
  let missing = false
  for (let row = from; row < to; row++) {
    if (isValid({ valid, from: 0 }, row)) bits[(row - from) >> 3]! |= 1 << ((row - from) & 7)
    else missing = true
  }
  return missing ? bits : null
}

/** Rows of which no text is kept. */
const withoutTexts = (rows: number): BlockTexts => ({
  rows,
  textOf: () => undefined,
  wants: () => false,
  keep: () => {},
  leave: () => {},
  close: () => {},
})

/** What is known of rows beside their bytes. */
export interface Written {
  readonly key: string
  /** Columns, in the order in which they were written. */
  readonly names: readonly string[]
  /** They are all the rows that the part has of the key. */
  readonly complete: boolean
}

/**
 * A block of one key, of what `bytesOf` made, which stays where it is.
 *
 * @param bytes at the beginning of memory of their own: arrays lie where the machine can read them
 */
export function blockOfBytes(bytes: Buffer, { key, names, complete }: Written): Block {
  const fields = new Uint32Array(bytes.buffer, bytes.byteOffset, 1 + FIELDS * names.length)
  const rows = fields[0]!
  const texts = withoutTexts(rows)
  const columns = columnsOf(bytes, names, fields)
  const run: Run = { columns, texts, from: 0, to: rows, complete }
  return { runs: new Map([[key, run]]), texts, bytes: bytes.length + overheadOf(columns, 1, VIEW_BYTES) }
}

function columnsOf({ buffer, byteOffset }: Buffer, names: readonly string[], fields: Uint32Array): StoredColumns {
  const columns = new Map<string, StoredColumn>()
  let at = byteOffset + padded(fields.byteLength)
  const take = (bytes: number): number => {
    const from = at
    at += padded(bytes)
    return from
  }
  let next = 1
  for (const name of names) {
    const [form, itemBytes, bitBytes, textsAndOne, octetBytes] = fields.subarray(next, next + FIELDS) as unknown as readonly [
      number,
      number,
      number,
      number,
      number,
    ]
    next += FIELDS
    const Form = FORMS[form] as Float64ArrayConstructor
    const items: Items = new Form(buffer as ArrayBuffer, take(itemBytes), itemBytes / Form.BYTES_PER_ELEMENT)
    const valid = bitBytes === 0 ? null : new Uint8Array(buffer, take(bitBytes), bitBytes)
    const texts = textsAndOne - 1
    const dictionary =
      texts < 0
        ? null
        : {
            octets: new Float64Array(buffer, take(octetBytes), octetBytes / 8),
            starts: new Uint32Array(buffer, take(4 * texts), texts),
            lengths: new Uint32Array(buffer, take(4 * texts), texts),
            escaped: new Uint8Array(buffer, take(texts), texts),
          }
    columns.set(name, { items, valid, dictionary })
  }
  return columns
}
