import { pipeline, type Readable, type Writable } from 'node:stream'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import type { Endpoint } from './endpoint.ts'
import { weighed } from './negotiation.ts'

/**
 * Supported compression methods, best first. If a client prefers several equally, the first one is
 * used.
 */
const CODINGS = ['zstd', 'br', 'gzip'] as const
export type Coding = (typeof CODINGS)[number]

/**
 * Minimum size, in bytes, from which a body is compressed. A smaller body needs one or two packets
 * in either case.
 */
const LEAST = 2 * 1_024
/**
 * Maximum size, in bytes, up to which a body is compressed on the main thread. For a small body,
 * this is faster than using another thread.
 */
const AT_ONCE = 64 * 1_024
/**
 * Groups of routes whose responses can contain a secret. These responses are never compressed. If a
 * body also contained text chosen by an attacker, its compressed size would reveal the secret
 * (BREACH).
 */
const PRIVATE: ReadonlySet<string> = new Set(['account', 'self_serve', 'billing', 'administration'])

/** True if responses of a route may be compressed. These are all reads without secrets. */
export const isCoded = (method: string, { caller, group, probe }: Endpoint): boolean =>
  method === 'GET' && !probe && (caller === 'public' || caller === 'api_key') && !PRIVATE.has(group)

/** Returns the compression method for a body, from `Accept-Encoding`. Null for none. */
export function codingFor(header: string | string[] | undefined, bytes: number): Coding | null {
  if (header === undefined || bytes < LEAST) return null
  const sent = weighed(String(header))
  const weightOf = (name: string): number =>
    (sent.find(({ value }) => value === name) ?? sent.find(({ value }) => value === '*'))?.weight ?? 0
  const best = CODINGS.reduce((best, next) => (weightOf(next) > weightOf(best) ? next : best))
  const plain = sent.find(({ value }) => value === 'identity')?.weight ?? 0
  return weightOf(best) > 0 && weightOf(best) >= plain ? best : null
}

/**
 * Compression effort: low for an `answer`, which is compressed for one caller, and high for a
 * `document`, which is compressed once for all callers.
 */
type Effort = 'answer' | 'document'

const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT, BROTLI_PARAM_LGWIN, BROTLI_DEFAULT_WINDOW, ZSTD_c_compressionLevel } = zlib.constants
const LEVELS: Readonly<Record<Effort, Readonly<Record<Coding, number>>>> = {
  answer: { gzip: 1, br: 1, zstd: 1 },
  document: { gzip: 9, br: 9, zstd: 15 },
}
const gzip = (effort: Effort) => ({ level: LEVELS[effort].gzip })
const br = (effort: Effort, bytes: number) => ({
  params: { [BROTLI_PARAM_QUALITY]: LEVELS[effort].br, [BROTLI_PARAM_SIZE_HINT]: bytes, [BROTLI_PARAM_LGWIN]: brotliWindow(bytes) },
})
/**
 * Returns the smallest compression window that contains a body, as a power of two. A smaller window
 * saves time, because a compressor first clears tables of the window's size.
 */
const brotliWindow = (bytes: number): number =>
  bytes === 0 ? BROTLI_DEFAULT_WINDOW : Math.min(BROTLI_DEFAULT_WINDOW, Math.max(10, Math.ceil(Math.log2(bytes + 16))))
const zstd = (effort: Effort) => ({ params: { [ZSTD_c_compressionLevel]: LEVELS[effort].zstd } })

const AT_ONCE_BY: Readonly<Record<Coding, (body: Buffer) => Buffer>> = {
  gzip: body => zlib.gzipSync(body, gzip('answer')),
  br: body => zlib.brotliCompressSync(body, br('answer', body.length)),
  zstd: body => zlib.zstdCompressSync(body, zstd('answer')),
}
const [gzipLater, brLater, zstdLater] = [promisify(zlib.gzip), promisify(zlib.brotliCompress), promisify(zlib.zstdCompress)]
const LATER_BY: Readonly<Record<Coding, (body: Buffer, effort: Effort) => Promise<Buffer>>> = {
  gzip: (body, effort) => gzipLater(body, gzip(effort)),
  br: (body, effort) => brLater(body, br(effort, body.length)),
  // With an unknown length, the compressor would prepare tables for a text of any length, partly on
  // the caller's thread. For a page, this takes 9 ms.
  zstd: (body, effort) => zstdLater(body, { ...zstd(effort), pledgedSrcSize: body.length }),
}

/** Compresses a complete body. A large body is compressed on another thread. */
export const coded = (body: Buffer, coding: Coding, effort: Effort = 'answer'): Buffer | Promise<Buffer> =>
  effort === 'answer' && body.length <= AT_ONCE ? AT_ONCE_BY[coding](body) : LATER_BY[coding](body, effort)

/**
 * Returns a compressed stream. Content is compressed only as fast as the client reads.
 *
 * @param plainFor writes the uncompressed content to a stream
 */
export function codedStream(plainFor: (coder: Writable) => Readable, coding: Coding): Readable {
  const coder = {
    gzip: () => zlib.createGzip(gzip('answer')),
    br: () => zlib.createBrotliCompress(br('answer', 0)),
    zstd: () => zlib.createZstdCompress(zstd('answer')),
  }[coding]()
  // The empty callback ignores errors, because the reader of the stream receives them.
  return pipeline(plainFor(coder), coder, () => {})
}

/** Returns the ETag of a compressed response. Each compression method has its own ETag. */
export const codedTag = (etag: string, coding: Coding): string => `${etag.slice(0, -1)}.${coding}"`

/**
 * Replaces the tags of compressed responses in an `If-None-Match` header. The result has the tags
 * of the uncompressed responses.
 */
export const uncodedTags = (header: string | undefined): string | undefined => header?.replace(/\.(?:zstd|br|gzip)"/g, '"')

/** True if an `If-None-Match` header contains the tag, by the weak comparison of RFC 9110. */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some(tag => ['*', etag].includes(tag.trim().replace(/^W\//, '')))
}

/**
 * Returns the tag of a response in the form that `If-None-Match` contains. This can be the tag of a
 * compressed response.
 */
export function tagAsNamed(etag: string, header: string | undefined): string {
  const named = header?.split(',').map(tag => tag.trim().replace(/^W\//, '')) ?? []
  return named.includes(etag) ? etag : (CODINGS.map(coding => codedTag(etag, coding)).find(tag => named.includes(tag)) ?? etag)
}
