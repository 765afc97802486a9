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

/** A body with optional headers, status and price. */
export class Answered<B> {
  readonly parts: Parts<B>

  constructor(parts: Parts<B>) {
    this.parts = parts
  }
}

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

/** Describes bytes whose media type differs from the media type of the route. */
export interface SentAs {
  readonly mediaType: string
  readonly isCompressed?: true
}

/** An undefined value means no header. */
export type Headers = Readonly<Record<string, string | number | undefined>>

interface Beside {
  /** 206 for a part of the resource. */
  readonly status?: 206
  readonly headers?: Headers
  /** Absent on a route that is free of charge. */
  readonly charge?: Charge
  /** Default: the media type of the route. */
  readonly encoder?: SentAs
}

export const answered = <B>(body: B, beside: Beside): Answered<B> => new Answered({ body, ...beside })

/**
 * Copies bytes for a cache. Short buffers of Node are slices of a shared pool, and a cached slice
 * would retain the pool.
 */
function inOwnMemory(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes
  const own = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(own)
  return own
}

/** Copies the body for a cache (see `inOwnMemory`). */
export function keepable(answer: Answered<Buffer>): Answered<Buffer> {
  const { parts } = answer
  return new Answered({ ...parts, ...(parts.body && { body: inOwnMemory(parts.body) }) })
}

/** Creates a response from encoded bytes. Streams and files are closed after sending. */
export const encoded = (bytes: string | Body | FileBytes, beside: Beside = {}): Answered<never> => new Answered({ bytes, ...beside })

export const unchanged = (beside: Beside): Answered<never> => new Answered({ status: 304, ...beside })

/** Creates a response without a body, for HEAD or a 304. */
export const headersAlone = (beside: Beside): Answered<never> => new Answered({ alone: true, ...beside })

export const notFound = <B>(body: B, beside: Omit<Beside, 'status'>): Answered<B> => new Answered({ body, ...beside, status: 404 })

/**
 * Creates a response of a protocol that has its own status codes.
 * @param json null for a response without a body
 */
export const inProtocol = (json: string | null, status: number, charge: Charge | undefined): Answered<never> =>
  new Answered({ ...(json === null ? { alone: true } : { bytes: json }), status, ...(charge && { charge }) })

/** Creates a 503, for a probe that declares `unready`. */
export const unready = <B>(body: B): Answered<B> => new Answered({ body, status: 503 })

/** Responses must not change, because they are cached and shared between requests. */
export type Immutable<T> = T extends readonly (infer I)[]
  ? readonly Immutable<I>[]
  : T extends object
    ? { readonly [K in keyof T]: Immutable<T[K]> }
    : T

export type AnswerOf<E extends Endpoint> = BodyOf<E['answer']> | Answered<BodyOf<E['answer']>>

type BodyOf<A extends Endpoint['answer']> = A extends z.ZodNever ? never : A extends z.ZodType ? Immutable<z.input<A>> : string | Buffer

export interface AnswerForm {
  readonly type: string
  /** True if the ETag is computed from the bytes. */
  readonly tagged: boolean
  /** True if responses may be compressed. */
  readonly coded: boolean
  readonly varies: readonly string[]
}

/** @returns the payload for the framework, or the reply if the response was already sent */
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
 * Streams of the framework do not report the end of a write, so the file is written directly. A
 * failure closes the connection.
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

/** Compressed forms of bodies. An entry is freed together with its body. */
const codedBefore = new WeakMap<Buffer, Coded>()
const codings = { hits: 0, misses: 0 }

/** Cache hits and compressions since the process started. */
export const codedSoFar = (): { readonly hits: number; readonly misses: number } => codings

/**
 * Compresses a body. The result is cached while the body is in memory. Returns a promise for a
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

function sendCoded(reply: FastifyReply, body: Buffer, accepts: string | string[], etag: string | undefined): Buffer | Promise<Buffer> {
  const coding = codingFor(accepts, body.length)
  if (coding === null) return body
  setCoding(reply, coding, etag)
  return inCoding(body, coding)
}

/** Sends a body whose length is unknown in advance. */
function sendStream(reply: FastifyReply, body: BodyStream, accepts: string | string[] | undefined, etag: string | undefined): Readable {
  const coding = codingFor(accepts, Number.POSITIVE_INFINITY)
  if (coding === null) return leaving(body, reply.raw)
  setCoding(reply, coding, etag)
  return codedStream(next => leaving(body, next), coding)
}

/** Reads the pieces of a body. The memory of a piece may be reused after the write. */
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
  /** True for a body that many callers receive. Such a body is compressed with more effort. */
  readonly document: boolean
}

const shared = new WeakSet<object>()

/**
 * Marks an object that many callers receive. Such an object is compressed once, with more effort.
 * @returns the same object
 */
export function sharedView<V extends object>(view: V): V {
  shared.add(view)
  return view
}

/** Each value is encoded, hashed and compressed only once. */
const kept = new WeakMap<object, Tagged>()

/**
 * Adds an ETag. Sends 304 if `If-None-Match` contains this ETag.
 * @param value the value to send, which must not change afterwards
 * @param accepts compression methods that the client accepts
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

export function sendQuotaHeaders(reply: FastifyReply, { balance, rate, requestsAtOnce }: QuotaStatus, charged: number): void {
  const atOnce = requestsAtOnce === null ? '' : `, "concurrent";q=${requestsAtOnce};qu="concurrent-requests"`
  // If no requests remain, `t` equals Retry-After, as the IETF draft of the RateLimit headers
  // recommends.
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
