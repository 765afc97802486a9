import { pipeline, type Readable, type Writable } from 'node:stream'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import type { Endpoint } from './endpoint.ts'
import { weighed } from './negotiation.ts'

/** Content codings answers are offered in, the one preferred among equally wanted ones first. */
const CODINGS = ['zstd', 'br', 'gzip'] as const
export type Coding = (typeof CODINGS)[number]

/** Bodies below this size in bytes are not compressed: they fill one or two packets either way. */
const LEAST = 2 * 1_024
/**
 * Bodies up to this size in bytes are coded synchronously, which is faster than handing them to
 * another thread.
 */
const AT_ONCE = 64 * 1_024
/**
 * Groups whose responses can contain a secret: with text chosen by an attacker, the compressed size
 * would reveal it (BREACH).
 */
const PRIVATE: ReadonlySet<string> = new Set(['account', 'self_serve', 'billing', 'administration'])

/** True for a route whose responses may be compressed: all reads without secrets. */
export const isCoded = (method: string, { caller, group, probe }: Endpoint): boolean =>
  method === 'GET' && !probe && (caller === 'public' || caller === 'api_key') && !PRIVATE.has(group)

/** Coding for a body of that size, by `Accept-Encoding`; null for none. */
export function codingFor(header: string | string[] | undefined, bytes: number): Coding | null {
  if (header === undefined || bytes < LEAST) return null
  const sent = weighed(String(header))
  const weightOf = (name: string): number =>
    (sent.find(({ value }) => value === name) ?? sent.find(({ value }) => value === '*'))?.weight ?? 0
  const best = CODINGS.reduce((best, next) => (weightOf(next) > weightOf(best) ? next : best))
  const plain = sent.find(({ value }) => value === 'identity')?.weight ?? 0
  return weightOf(best) > 0 && weightOf(best) >= plain ? best : null
}

/** How hard is worked: answers are made once for one caller, documents once for all. */
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
 * Smallest window that contains a body, as a power of two: a coder clears tables of the window's
 * size before the first byte, even for a small page.
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
  // Without the length, the coder sets up tables for a text of any length, partly on the caller's
  // thread: 9 ms for a page.
  zstd: (body, effort) => zstdLater(body, { ...zstd(effort), pledgedSrcSize: body.length }),
}

/** A body coded whole; a large one on another thread. */
export const coded = (body: Buffer, coding: Coding, effort: Effort = 'answer'): Buffer | Promise<Buffer> =>
  effort === 'answer' && body.length <= AT_ONCE ? AT_ONCE_BY[coding](body) : LATER_BY[coding](body, effort)

/**
 * A stream that is coded at the reader's speed. @param plainFor uncoded content, by the stream to
 * write it to
 */
export function codedStream(plainFor: (coder: Writable) => Readable, coding: Coding): Readable {
  const coder = {
    gzip: () => zlib.createGzip(gzip('answer')),
    br: () => zlib.createBrotliCompress(br('answer', 0)),
    zstd: () => zlib.createZstdCompress(zstd('answer')),
  }[coding]()
  // The reader of the stream receives its end; no other code needs it.
  return pipeline(plainFor(coder), coder, () => {})
}

/** The tag of a coded answer: every coding has its own. */
export const codedTag = (etag: string, coding: Coding): string => `${etag.slice(0, -1)}.${coding}"`

/** An `If-None-Match` header with the tags of coded answers as those of the answers themselves. */
export const uncodedTags = (header: string | undefined): string | undefined => header?.replace(/\.(?:zstd|br|gzip)"/g, '"')

/** True if an `If-None-Match` header contains the tag, by the weak comparison of RFC 9110. */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some(tag => ['*', etag].includes(tag.trim().replace(/^W\//, '')))
}

/** The tag under which a caller has an answer: a coded one where `If-None-Match` names that. */
export function tagAsNamed(etag: string, header: string | undefined): string {
  const named = header?.split(',').map(tag => tag.trim().replace(/^W\//, '')) ?? []
  return named.includes(etag) ? etag : (CODINGS.map(coding => codedTag(etag, coding)).find(tag => named.includes(tag)) ?? etag)
}
