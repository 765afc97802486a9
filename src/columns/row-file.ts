import { hash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import type { Block } from './block.ts'
import { bytesOf } from './run-bytes.ts'

/** Rows of a key that are kept. */
export const ROWS_ON_DISK = 256
/** Of long rows fewer are kept: reading and hashing them holds up the thread that answers. */
const MOST_RUN_BYTES = 65_536
/** Keys that are made into bytes before others of the process have a turn. */
const KEYS_PER_TURN = 8
/** Before the index: its length, four zeros, and its sha256. */
const HEAD_BYTES = 40
/** That of a file with more keys than are ever written. */
const MOST_INDEX_BYTES = 2 ** 24

/** A file that is not as it was written. */
export class Damaged extends Error {}

/** Where the rows of a key lie behind the index, what they hash to, and whether they are all the rows of the key. */
type Place = readonly [key: string, at: number, bytes: number, complete: 0 | 1, sha256: string]

/** What a file holds, by key. */
export interface Index {
  /** Where the rows begin. */
  readonly from: number
  readonly places: ReadonlyMap<string, Place>
}

/** A block as a file: an index and the first rows of each key, each of them with its sha256. Made in turns with others. */
export async function fileOf({ runs }: Block): Promise<Buffer> {
  const pieces: Buffer[] = []
  const places: Place[] = []
  let at = 0
  for (const [key, run] of runs) {
    const length = run.to - run.from
    let rows = Math.min(length, ROWS_ON_DISK)
    let bytes = bytesOf(run, rows)
    while (bytes.length > MOST_RUN_BYTES && rows > 1) {
      rows = rows >> 1
      bytes = bytesOf(run, rows)
    }
    places.push([key, at, bytes.length, run.complete && rows === length ? 1 : 0, sha256Of(bytes)])
    pieces.push(bytes)
    at += bytes.length
    if (places.length % KEYS_PER_TURN === 0) await new Promise(setImmediate)
  }
  const index = Buffer.from(JSON.stringify(places))
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32LE(index.length)
  head.write(sha256Of(index), 8, 'hex')
  return Buffer.concat([head, index, ...pieces])
}

/**
 * The bytes of a key's rows, at the beginning of memory of their own, and the index, which need not be read again then.
 *
 * @param known an index that was read before
 * @returns no bytes where the file has no row of the key
 * @throws Damaged where what was read is not what was written, and what opening and reading throw
 */
export function readRun(
  path: string,
  known: Index | undefined,
  key: string,
): { readonly index: Index; readonly place?: Place; readonly bytes?: Buffer } {
  const file = openSync(path, 'r')
  try {
    const index = known ?? readIndex(file)
    const place = index.places.get(key)
    if (!place) return { index }
    const [, at, length, , sha256] = place
    return { index, place, bytes: readProven(file, index.from + at, length, sha256) }
  } finally {
    closeSync(file)
  }
}

function readIndex(file: number): Index {
  const head = readAll(file, 0, HEAD_BYTES)
  const length = head.readUInt32LE()
  if (length > MOST_INDEX_BYTES) throw new Damaged()
  const places = JSON.parse(readProven(file, HEAD_BYTES, length, head.toString('hex', 8)).toString()) as readonly Place[]
  return { from: HEAD_BYTES + length, places: new Map(places.map(place => [place[0], place])) }
}

function readProven(file: number, at: number, length: number, sha256: string): Buffer {
  const bytes = readAll(file, at, length)
  if (sha256Of(bytes) !== sha256) throw new Damaged()
  return bytes
}

function readAll(file: number, at: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(length)
  for (let read = 0; read < length; ) {
    const more = readSync(file, bytes, read, length - read, at + read)
    if (more === 0) throw new Damaged()
    read += more
  }
  return bytes
}

const sha256Of = (bytes: Buffer): string => hash('sha256', bytes)
