import { pipeline, type Readable, type Writable } from 'node:stream'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import type { Endpoint } from './endpoint.ts'
import { weighed } from './negotiation.ts'

/** In order of preference. */
const CODINGS = ['zstd', 'br', 'gzip'] as const
export type Coding = (typeof CODINGS)[number]

/** Minimum size in bytes. Smaller bodies need one or two packets with or without compression. */
const LEAST = 2 * 1_024
/** Maximum size (in bytes) for the main thread. Another thread would be slower for small bodies. */
const AT_ONCE = 64 * 1_024
/** Never compressed, because the size of a compressed body could reveal a secret (BREACH). */
const PRIVATE: ReadonlySet<string> = new Set(['account', 'self_serve', 'billing', 'administration'])

/** True if responses of a route may be compressed: all reads without secrets. */
export const isCoded = (method: string, { caller, group, probe }: Endpoint): boolean =>
  method === 'GET' && !probe && (caller === 'public' || caller === 'api_key') && !PRIVATE.has(group)

/** Null for no compression. */
export function codingFor(header: string | string[] | undefined, bytes: number): Coding | null {
  if (header === undefined || bytes < LEAST) return null
  const sent = weighed(String(header))
  const weightOf = (name: string): number =>
    (sent.find(({ value }) => value === name) ?? sent.find(({ value }) => value === '*'))?.weight ?? 0
  const best = CODINGS.reduce((best, next) => (weightOf(next) > weightOf(best) ? next : best))
  const plain = sent.find(({ value }) => value === 'identity')?.weight ?? 0
  return weightOf(best) > 0 && weightOf(best) >= plain ? best : null
}

/** A `document` is compressed once for all callers, an `answer` for one caller. */
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
 * Returns the window size as a base-2 logarithm. A small window is faster, because the compressor
 * has to clear tables of this size.
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
  // Without the length, the compressor prepares tables for a body of any size, which takes 9 ms.
  zstd: (body, effort) => zstdLater(body, { ...zstd(effort), pledgedSrcSize: body.length }),
}

/** Compresses large bodies on another thread. */
export const coded = (body: Buffer, coding: Coding, effort: Effort = 'answer'): Buffer | Promise<Buffer> =>
  effort === 'answer' && body.length <= AT_ONCE ? AT_ONCE_BY[coding](body) : LATER_BY[coding](body, effort)

/**
 * Compresses as fast as the client reads.
 * @param plainFor writes the uncompressed content to a stream
 */
export function codedStream(plainFor: (coder: Writable) => Readable, coding: Coding): Readable {
  const coder = {
    gzip: () => zlib.createGzip(gzip('answer')),
    br: () => zlib.createBrotliCompress(br('answer', 0)),
    zstd: () => zlib.createZstdCompress(zstd('answer')),
  }[coding]()
  // Ignores errors, because the reader of the stream receives them.
  return pipeline(plainFor(coder), coder, () => {})
}

/** Responses that are compressed differently have different ETags. */
export const codedTag = (etag: string, coding: Coding): string => `${etag.slice(0, -1)}.${coding}"`

/** Removes the compression method from the tags in `If-None-Match`. */
export const uncodedTags = (header: string | undefined): string | undefined => header?.replace(/\.(?:zstd|br|gzip)"/g, '"')

/** Weak comparison of `If-None-Match`, as in RFC 9110. */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some(tag => ['*', etag].includes(tag.trim().replace(/^W\//, '')))
}

/** Returns the tag that `If-None-Match` contains. This can be the tag of a compressed response. */
export function tagAsNamed(etag: string, header: string | undefined): string {
  const named = header?.split(',').map(tag => tag.trim().replace(/^W\//, '')) ?? []
  return named.includes(etag) ? etag : (CODINGS.map(coding => codedTag(etag, coding)).find(tag => named.includes(tag)) ?? etag)
}
