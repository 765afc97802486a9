import { createHash } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { checksummedLine, readChecksummedLines } from '../../src/core/index.ts'
import type { FetchRequest } from '../formats/index.ts'
import { appendLines } from '../publish/index.ts'
import type { Fetched } from './fetcher.ts'
import type { Period } from './period.ts'
import { sourceOf } from './sources.ts'

export interface RawCapture {
  /** RFC 3339 in Taipei. */
  readonly fetched_at: string
  readonly feed: string
  /** Last day of the requested period. For a request of the newest data, the day of the request. */
  readonly day: string
  readonly url: string
  readonly form: Readonly<Record<string, string>> | null
  /** Address after the configuration replaced the host. Otherwise null. */
  readonly asked_at: string | null
  readonly status: number
  readonly content_type: string | null
  readonly bytes: number
  /** sha256 of the decompressed body. */
  readonly sha256: string
  readonly file: string
  readonly attribution: string
  readonly licence: string
}

/** Stored responses of all feeds. Never deleted. */
export interface RawCaptures {
  /**
   * Stores a body. An identical body of the same day is stored only once. The file is synced before
   * the log entry is written.
   */
  keep(feed: string, period: Period, request: FetchRequest, fetched: Fetched): RawCapture
  /**
   * Returns the newest capture of each request, keyed by `requestKey`. Skips incomplete log lines.
   */
  newest(feed: string): ReadonlyMap<string, RawCapture>
  pathOf(capture: RawCapture): string
}

export const requestKey = ({ url, form }: { readonly url: string; readonly form?: FetchRequest['form'] | null }): string =>
  `${url} ${form ? JSON.stringify(form) : ''}`

/** @param captures folder of received files */
export function createRawCaptures(captures: string): RawCaptures {
  const homeOf = (feed: string): string => join(captures, 'raw', feed)
  const logOf = (feed: string): string => join(homeOf(feed), 'log.ndjson')
  return {
    keep(feed, { last: day }, request, { bytes, status, contentType, fetchedAt, askedAt }) {
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      const file = `${feed}_${day}_${sha256.slice(0, 12)}.gz`
      mkdirSync(homeOf(feed), { recursive: true })
      const path = join(homeOf(feed), file)
      if (!existsSync(path)) writeWhole(path, gzipSync(bytes))
      const { attribution, licence } = sourceOf(request.url)
      const capture: RawCapture = {
        fetched_at: fetchedAt,
        feed,
        day,
        url: request.url,
        form: request.form ?? null,
        asked_at: askedAt === new URL(request.url).href ? null : askedAt,
        status,
        content_type: contentType,
        bytes: bytes.length,
        sha256,
        file,
        attribution,
        licence,
      }
      appendLines(logOf(feed), checksummedLine(capture))
      return capture
    },
    newest(feed) {
      if (!existsSync(logOf(feed))) return new Map()
      const lines = readChecksummedLines<RawCapture>(readFileSync(logOf(feed), 'utf8')).values
      return new Map(lines.map(capture => [requestKey(capture), capture]))
    },
    pathOf: ({ feed, file }) => join(homeOf(feed), file),
  }
}

function writeWhole(path: string, bytes: Uint8Array): void {
  const draft = `${path}.draft`
  const handle = openSync(draft, 'w', 0o644)
  try {
    writeFileSync(handle, bytes)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(draft, path)
}
