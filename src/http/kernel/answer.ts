import { createHash } from 'node:crypto'
import type { OutgoingHttpHeaders } from 'node:http'
import { Readable, type Writable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { QuotaStatus } from '../../access/index.ts'
import type { Body, BodyStream } from '../../formats/index.ts'
import type { Charge } from '../../operations/index.ts'
import type { FileBytes } from '../../releases/index.ts'
import { type Coding, coded, codedStream, codedTag, codingFor, matchesEtag, tagAsNamed, uncodedTags } from './coding.ts'
import type { Endpoint } from './endpoint.ts'
import { leaveTogether } from './leave-together.ts'
import { vary } from './negotiation.ts'

/** A response: a body with optional headers, status and charge (price in credits). */
export class Answered<B> {
  readonly parts: Parts<B>

  constructor(parts: Parts<B>) {
    this.parts = parts
  }
}

/** Splits the result of a handler into body, headers and other parts of the response. */
export const partsOf = (result: unknown): Parts<unknown> => (result instanceof Answered ? result.parts : { body: result })

interface Parts<B> {
  readonly body?: B
  readonly bytes?: string | Body | FileBytes
  readonly status?: number
  /** True if there is no body to send. */
  readonly alone?: true
  readonly headers?: Headers
  readonly charge?: Charge
  readonly encoder?: SentAs
}

/** Options for bytes whose media type is not that of the route. */
export interface SentAs {
  readonly mediaType: string
  readonly isCompressed?: true
}

/** Headers, keyed by name. A header with the value undefined is not sent. */
export type Headers = Readonly<Record<string, string | number | undefined>>

/** The parts of a response other than its body. */
interface Beside {
  /** 206 if the body is only a part of the resource. */
  readonly status?: 206
  readonly headers?: Headers
  /** Price of the response. Absent on a route that is free of charge. */
  readonly charge?: Charge
  /** Media type of the body. Default: the media type of the route. */
  readonly encoder?: SentAs
}

export const answered = <B>(body: B, beside: Beside): Answered<B> => new Answered({ body, ...beside })

/**
 * Copies bytes to a buffer of their own size, so that they can be cached. Node allocates short
 * buffers from a shared pool (`Buffer.poolSize`), and compression returns a slice of a larger
 * block. A cached slice would keep the whole block in memory.
 */
function inOwnMemory(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes
  const own = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(own)
  return own
}

/**
 * Copies the body of a response to a buffer of its own size, so that the response can be cached.
 */
export function keepable(answer: Answered<Buffer>): Answered<Buffer> {
  const { parts } = answer
  return new Answered({ ...parts, ...(parts.body && { body: inOwnMemory(parts.body) }) })
}

/**
 * Creates a response from encoded bytes, whose content is not type-checked. Streams and files are
 * opened when the response is sent, and closed afterwards. The length of a file is sent as a
 * header.
 */
export const encoded = (bytes: string | Body | FileBytes, beside: Beside = {}): Answered<never> => new Answered({ bytes, ...beside })

/** Creates a 304 without a body, for a caller that already has the response. */
export const unchanged = (beside: Beside): Answered<never> => new Answered({ status: 304, ...beside })

/** Creates a response without a body, for HEAD or a 304. */
export const headersAlone = (beside: Beside): Answered<never> => new Answered({ alone: true, ...beside })

/** Creates the page for an unknown address. */
export const notFound = <B>(body: B, beside: Omit<Beside, 'status'>): Answered<B> => new Answered({ body, ...beside, status: 404 })

/**
 * Creates a response with a given status, for protocols that define their own.
 * @param json null for a response without a body
 */
export const inProtocol = (json: string | null, status: number, charge: Charge | undefined): Answered<never> =>
  new Answered({ ...(json === null ? { alone: true } : { bytes: json }), status, ...(charge && { charge }) })

/** Creates a response with the status 503, for a probe that declares `unready`. */
export const unready = <B>(body: B): Answered<B> => new Answered({ body, status: 503 })

/**
 * Makes a type read-only at every level. Responses must be read-only because they are cached and
 * shared between requests.
 */
export type Immutable<T> = T extends readonly (infer I)[]
  ? readonly Immutable<I>[]
  : T extends object
    ? { readonly [K in keyof T]: Immutable<T[K]> }
    : T

/**
 * Result of a handler: a value of the declared schema. If a media type is declared, the result is
 * text or bytes.
 */
export type AnswerOf<E extends Endpoint> = BodyOf<E['answer']> | Answered<BodyOf<E['answer']>>

type BodyOf<A extends Endpoint['answer']> = A extends z.ZodNever ? never : A extends z.ZodType ? Immutable<z.input<A>> : string | Buffer

export interface AnswerForm {
  readonly type: string
  /** True if responses have an ETag that is computed from their bytes. */
  readonly tagged: boolean
  /** True if responses may be compressed. */
  readonly coded: boolean
  readonly varies: readonly string[]
}

/**
 * Sets status and headers. @returns the payload for the framework, or the reply if the response was
 * already sent
 */
export function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, bytes, status, alone, headers = {}, encoder }: Parts<unknown>,
  { type, tagged, coded, varies }: AnswerForm,
): unknown {
  for (const name in headers) if (headers[name] !== undefined) reply.header(name, headers[name])
  if (status !== undefined) reply.code(status)
  reply.type(encoder?.mediaType ?? type)
  if (varies.length > 0) vary(reply, varies)
  const { 'if-none-match': has, 'accept-encoding': accepts } = request.headers
  const etag = headers['etag'] as string | undefined
  if (alone && etag !== undefined && matchesEtag(uncodedTags(has), etag)) reply.code(304)
  if (etag !== undefined && reply.statusCode === 304) reply.header('etag', tagAsNamed(etag, has))
  if (alone || status === 304) return void reply.send()
  if (isFile(bytes)) return sendFile(reply, bytes)
  const taken = coded && !encoder?.isCompressed ? accepts : undefined
  if (isStream(bytes)) return sendStream(reply, bytes, taken, etag)
  if (tagged) return sendTagged(request, reply, bytes ?? body, taken)
  if (reply.raw.socket) leaveTogether(reply.raw.socket)
  return taken === undefined ? (bytes ?? body) : sendCoded(reply, bytesOf(bytes ?? body), taken, etag)
}

const isFile = (value: string | Body | FileBytes | undefined): value is FileBytes => typeof value === 'object' && 'sendTo' in value

const isStream = (value: string | Body | undefined): value is BodyStream => typeof value === 'object' && !Buffer.isBuffer(value)

/**
 * Sends a file through one buffer, which is reused after each write. Writes to the response
 * directly, because the framework's streams do not report the end of a write. A failure closes the
 * connection.
 */
function sendFile(reply: FastifyReply, file: FileBytes): void {
  const { raw } = reply.hijack()
  raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders)
  file.sendTo(raw).then(
    () => raw.end(),
    () => raw.destroy(),
  )
}

const bytesOf = (value: unknown): Buffer =>
  Buffer.isBuffer(value) ? value : Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))

type Coded = Map<Coding, Buffer | Promise<Buffer>>

/** Compressed forms of each body. The garbage collector removes an entry together with its body. */
const codedBefore = new WeakMap<Buffer, Coded>()
const codings = { hits: 0, misses: 0 }

/**
 * Returns two counters since the process started: uses of a cached compressed body (`hits`), and
 * compressions (`misses`).
 */
export const codedSoFar = (): { readonly hits: number; readonly misses: number } => codings

/**
 * Compresses a body, and caches the result while the body is in memory. Returns a promise for a
 * large body.
 */
export function inCoding(body: Buffer, coding: Coding, effort?: 'document' | 'answer'): Buffer | Promise<Buffer> {
  const known = codedBefore.get(body) ?? (new Map() as Coded)
  codedBefore.set(body, known)
  const before = known.get(coding)
  codings[before ? 'hits' : 'misses']++
  const made = before ?? owned(coded(body, coding, effort))
  known.set(coding, made)
  if (made instanceof Promise) made.catch(() => known.delete(coding))
  return made
}

const owned = (made: Buffer | Promise<Buffer>): Buffer | Promise<Buffer> =>
  made instanceof Promise ? made.then(inOwnMemory) : inOwnMemory(made)

/**
 * Returns what to send for a complete body. The body is compressed if it is large enough and the
 * client accepts compression.
 */
function sendCoded(reply: FastifyReply, body: Buffer, accepts: string | string[], etag: string | undefined): Buffer | Promise<Buffer> {
  const coding = codingFor(accepts, body.length)
  if (coding === null) return body
  setCoding(reply, coding, etag)
  return inCoding(body, coding)
}

/**
 * Returns what to send for a body that is created while it is sent. The body is compressed if the
 * client accepts compression. Its length is unknown in advance.
 */
function sendStream(reply: FastifyReply, body: BodyStream, accepts: string | string[] | undefined, etag: string | undefined): Readable {
  const coding = codingFor(accepts, Number.POSITIVE_INFINITY)
  if (coding === null) return leaving(body, reply.raw)
  setCoding(reply, coding, etag)
  return codedStream(next => leaving(body, next), coding)
}

/**
 * Streams the pieces of a body to `next`. After `next` has written a piece, the memory of the piece
 * may be reused.
 */
function leaving(body: BodyStream, next: Writable): Readable {
  const pieces = Readable.from(body)
  body.reuse?.(() => pieces.readableLength === 0 && next.writableLength === 0 && !next.destroyed)
  return pieces
}

function setCoding(reply: FastifyReply, coding: Coding, etag: string | undefined): void {
  reply.header('content-encoding', coding)
  if (etag !== undefined) reply.header('etag', codedTag(etag, coding))
}

interface Tagged {
  readonly body: Buffer
  readonly etag: string
  /** True if the body is compressed once for all callers, so that more effort is worthwhile. */
  readonly document: boolean
}

/** Views that are compressed with the effort of a document. */
const shared = new WeakSet<object>()

/**
 * Marks a view that is the same object for many callers and some time, so that it is compressed
 * once with a higher effort.
 *
 * @returns the view
 */
export function sharedView<V extends object>(view: V): V {
  shared.add(view)
  return view
}

/**
 * Encoded bodies, keyed by the value from which they were created. A cached value is therefore
 * encoded, hashed and compressed only once.
 */
const kept = new WeakMap<object, Tagged>()

/**
 * Sends an object as JSON, or text and bytes unchanged. Adds an ETag of the bytes. Sends 304 if
 * `If-None-Match` contains the ETag.
 *
 * @param value must not change afterwards
 * @param accepts compression methods that the caller accepts. Undefined for none
 */
function sendTagged(request: FastifyRequest, reply: FastifyReply, value: unknown, accepts: string | string[] | undefined): unknown {
  const made = typeof value === 'string' ? tagOf(Buffer.from(value), false) : taggedOnce(value as object)
  const { body, etag } = made
  const { 'if-none-match': has } = request.headers
  if (matchesEtag(uncodedTags(has), etag)) return reply.header('etag', tagAsNamed(etag, has)).code(304).send()
  const coding = codingFor(accepts, body.length)
  if (coding === null) return reply.header('etag', etag).send(body)
  reply.header('etag', codedTag(etag, coding)).header('content-encoding', coding)
  return inCoding(body, coding, made.document ? 'document' : 'answer')
}

function taggedOnce(value: object): Tagged {
  const known = kept.get(value)
  if (known) return known
  const made = Buffer.isBuffer(value) ? tagOf(value, true) : tagOf(inOwnMemory(Buffer.from(JSON.stringify(value))), shared.has(value))
  kept.set(value, made)
  return made
}

function tagOf(body: Buffer, document: boolean): Tagged {
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`, document }
}

/**
 * Sets headers with the price of the response, the remaining credits, and the remaining requests of
 * this minute.
 */
export function sendQuotaHeaders(reply: FastifyReply, { balance, rate, requestsAtOnce }: QuotaStatus, charged: number): void {
  const atOnce = requestsAtOnce === null ? '' : `, "concurrent";q=${requestsAtOnce};qu="concurrent-requests"`
  // If no request remains, `t` is the time of Retry-After, as the IETF draft of the RateLimit
  // headers recommends.
  const seconds = rate.allowed ? rate.resetSeconds : rate.retryAfter
  reply
    .header('x-credits-charged', charged)
    .header('x-credits-limit', balance.limit)
    .header('x-credits-remaining', balance.remaining)
    .header('x-credits-reset', balance.resetsAt)
    .header('ratelimit-policy', `"minute";q=${rate.limit};w=60${atOnce}`)
    .header('ratelimit', `"minute";r=${rate.remaining};t=${seconds}`)
    .header('x-ratelimit-limit', rate.limit)
    .header('x-ratelimit-remaining', rate.remaining)
    .header('x-ratelimit-reset', seconds)
}
