import { z } from 'zod'
import { Refusal } from '../../../core/index.ts'
import { createReadFile, type FileAnswer, type FileDeps } from '../../../operations/index.ts'
import { type Endpoint, encoded, headersAlone, type Route, rangeOf, route, text, unchanged } from '../../kernel/index.ts'

/** A year in seconds. A file named by its sha256 never changes. */
const MAX_AGE_S = 31_536_000

const FILE = {
  summary: 'Data file of a release, in full or as a byte range',
  summaryZh: '版本的資料檔：整個檔案或其中一段',
  description:
    'Returns an Apache Parquet file, which is immutable and named by the sha256 of its bytes. Requires a signed URL from a list of parts, or an API key. A request for one range returns 206. A request for several ranges returns the full file. A signed URL is valid for one file and one hour, while the key that requested it is valid. Downloads with a signed URL are free of charge. With a key, the number of reads charged is the number of rows of the file divided by the maximum rows per response of the plan, rounded up. A byte range costs its share of this price.',
  group: 'tables',
  caller: 'file_reader',
  path: z.object({
    dataset_key: z.string().meta({ description: 'Slug of the dataset.', example: 'bond-yield-curve' }),
    file: z.string().meta({
      description: 'sha256 of the file’s bytes in hex, followed by `.parquet`.',
      example: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855.parquet',
      wire: { type: 'string', pattern: '^[0-9a-f]{64}\\.parquet$' },
    }),
  }),
  headers: z.object({
    range: z.string().optional().meta({ description: 'Byte range, for example `bytes=0-1023`, `bytes=1024-` or `bytes=-8`.' }),
    'if-range': z
      .string()
      .optional()
      .meta({ description: 'ETag of the file. If the file has another ETag, the response is the full file instead of the range.' }),
  }),
  query: z.object({
    sig: text(64, { doc: 'Signature of the URL. Send `sig`, `se`, `k` and `sp` unchanged, or none of them.' }),
    se: text(20, { doc: 'Expiry time of the signed URL, in seconds since 1970.' }),
    k: text(64, { doc: 'Id of the key for which the URL was signed.' }),
    sp: text(8, { doc: 'Permission of the signed URL: `r` for reading.' }),
  }),
  answer: 'application/vnd.apache.parquet',
  ranges: true,
  pricedBy: 'rows',
  cache: `private, max-age=${MAX_AGE_S}, immutable`,
  refusals: [
    'unknown_dataset',
    'plan_required',
    'unknown_id',
    'range_not_satisfiable',
    'credits_exhausted',
    'concurrency_limited',
    'integrity',
    'overloaded',
  ],
} as const satisfies Endpoint

const NAME = /^([0-9a-f]{64})\.parquet$/
/** Parquet pages are already compressed. */
const AS_PARQUET = { mediaType: FILE.answer, isCompressed: true } as const

export function fileRoutes(deps: FileDeps): readonly Route<'file_reader'>[] {
  const readFile = createReadFile(deps)
  return [
    route('GET /files/:dataset_key/:file', FILE, async call => {
      const { range, 'if-range': ifRange } = call.headers
      const sha256 = NAME.exec(call.params.file)?.[1]
      if (sha256 === undefined) throw new Refusal('unknown_id', {}, NO_NAME)
      const etag = `"${sha256}"`
      const answer = await readFile(
        call.caller,
        {
          slug: call.params.dataset_key,
          sha256,
          isKnown: () => call.isKnown(etag),
          rangeOf(size) {
            const found = rangeOf(range, ifRange, size, etag)
            if (found === 'unsatisfiable') throw new Refusal('range_not_satisfiable', { bytes: size })
            return found
          },
        },
        call,
      )
      return answerOf(answer, etag, call.planOnly === true)
    }),
  ]
}

function answerOf({ size, range, body, charge }: FileAnswer, etag: string, headersOnly: boolean) {
  const tagged = { etag, 'accept-ranges': 'bytes' }
  if (body === null && !headersOnly) return unchanged({ headers: tagged, encoder: AS_PARQUET })
  const ranged = range && { 'content-range': `bytes ${range.from}-${range.from + range.bytes - 1}/${size}` }
  const headers = { ...tagged, 'content-length': range?.bytes ?? size, ...ranged }
  const beside = { headers, encoder: AS_PARQUET, ...(charge && { charge }), ...(range && ({ status: 206 } as const)) }
  return body === null ? headersAlone(beside) : encoded(body, beside)
}

const NO_NAME = {
  en: 'File names are the sha256 of the file’s bytes, 64 characters of 0-9 and a-f, followed by .parquet.',
  zh: '檔名為其內容的 sha256（64 個 0-9、a-f 字元），後接 .parquet。',
}
