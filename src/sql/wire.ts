import type { Readable, Writable } from 'node:stream'
import type { Format } from '../../catalog/index.ts'
import type { BoundValues, EngineFault } from '../engine/index.ts'

export type Job =
  | { readonly kind: 'parse'; readonly text: string; readonly wrapped: string }
  | RunJob
  | {
      readonly kind: 'encode'
      readonly format: Format
      readonly bom: boolean
      readonly frame: readonly [string, string]
      readonly maxBytes: number
    }
  | { readonly kind: 'interrupt' }

/** The worker stores the rows until the next query. */
export interface RunJob {
  readonly kind: 'run'
  /** For example `512MB`. */
  readonly memoryLimit: string
  readonly files: readonly string[]
  readonly views: readonly string[]
  readonly text: string
  readonly values: BoundValues
  readonly limit: number
  readonly offset: number
}

export type Reply =
  /** `limited` is false if the operating system does not limit the process. */
  | { readonly kind: 'ready'; readonly limited: boolean }
  /** The body is the parse tree as JSON. */
  | { readonly kind: 'parsed'; readonly alone: ParsedQuery }
  | { readonly kind: 'ran'; readonly rows: number; readonly more: boolean; readonly columns: readonly AnswerColumn[] }
  /** The body is the encoded answer. */
  | { readonly kind: 'encoded' }
  | { readonly kind: 'too large' }
  | { readonly kind: 'failed'; readonly fault: EngineFault | null; readonly message: string }

export interface ParsedQuery {
  readonly error: boolean
  readonly count: number
  readonly type: string
  readonly message: string
  /** Byte offset of the error. Null if unknown. */
  readonly position: string | null
}

export interface AnswerColumn {
  readonly name: string
  readonly type: 'text' | 'date' | 'timestamp' | 'number' | 'integer' | 'boolean' | 'json'
  /** DuckDB type of the column in the query. */
  readonly sqlType: string
}

/** Bytes before each message, for the length of the head and of the body. */
const PREFIX_BYTES = 8
const NOTHING = Buffer.alloc(0)

export function writeMessage(stream: Writable, head: Job | Reply, body: Buffer = NOTHING): void {
  const json = Buffer.from(JSON.stringify(head))
  const prefix = Buffer.alloc(PREFIX_BYTES)
  prefix.writeUInt32LE(json.length, 0)
  prefix.writeUInt32LE(body.length, 4)
  stream.write(Buffer.concat([prefix, json]))
  if (body.length > 0) stream.write(body)
}

/** @param maxBytes maximum size of a message. Larger messages end the stream */
export function readMessages<H extends Job | Reply>(stream: Readable, maxBytes: number, receive: (head: H, body: Buffer) => void): void {
  let pieces: Buffer[] = []
  let length = 0
  let needed = PREFIX_BYTES
  stream.on('data', (piece: Buffer) => {
    pieces.push(piece)
    length += piece.length
    while (length >= needed) {
      const bytes = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, length)
      pieces = [bytes]
      const [head, body] = [bytes.readUInt32LE(0), bytes.readUInt32LE(4)]
      needed = PREFIX_BYTES + head + body
      if (needed > maxBytes) return void stream.destroy()
      if (length < needed) return
      const message = bytes.subarray(PREFIX_BYTES, needed)
      pieces = length > needed ? [bytes.subarray(needed)] : []
      length -= needed
      needed = PREFIX_BYTES
      const parsed = parseHead<H>(message.toString('utf8', 0, head))
      if (parsed === undefined) return void stream.destroy()
      receive(parsed, message.subarray(head))
    }
  })
}

/** Undefined for invalid JSON, which means that the other process is damaged. */
function parseHead<H>(json: string): H | undefined {
  try {
    return JSON.parse(json) as H
  } catch {
    return undefined
  }
}
