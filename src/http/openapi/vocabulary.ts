import { type Caller, type Group, isTagged } from '../kernel/index.ts'
import type { JsonSchema } from './json-schema.ts'
import type { DescribedRoute } from './routes.ts'

/** Version of the OpenAPI document, not of the paths. */
export const API_VERSION = '2.0.0'

/** In the order of the documentation. */
export const GROUPS: Readonly<Record<Group, string>> = {
  datasets: 'Rows of each dataset.',
  tables: 'Releases as files: lists of Parquet files, downloads, and Delta Sharing.',
  catalog: 'Available datasets, their freshness, coverage, changes and prices.',
  search: 'Search for symbols, datasets and fields, and queries of single fields as of a day.',
  account: 'Permissions, usage and billing of a key.',
  self_serve: 'Sign-in, keys and account closure.',
  webhooks: 'Webhook endpoints, their messages and secrets.',
  billing: 'Checkout, payment provider and subscription keys.',
  administration: 'Operations for the operator of the service.',
  service: 'Probes, metadata and the API description.',
}

export const SECURITY: Readonly<Record<Exclude<Caller, 'public' | 'file_reader' | 'agent' | 'payer'> | 'signed_url', JsonSchema>> = {
  api_key: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'API key. The header `Authorization: Bearer` is also accepted.',
  },
  signed_url: {
    type: 'apiKey',
    in: 'query',
    name: 'sig',
    description: 'Signature of a URL, valid for one file and a limited time.',
  },
  service_token: { type: 'http', scheme: 'bearer', description: 'Token of the backend of the website.' },
  self_serve_token: { type: 'apiKey', in: 'header', name: 'x-self-serve-token' },
  browser: {
    type: 'apiKey',
    in: 'cookie',
    name: 'twmd-session',
    description:
      'Token of a signed-in browser session. Over https, the token is in the cookie `__Host-twmd-session`, which scripts cannot read. The token replaces a self-serve token or API key if the request has the header `x-portal: 1` and no other credential. Without this header, the token has no effect.',
  },
  admin_token: { type: 'http', scheme: 'bearer', description: 'Admin token. The header `x-admin-token` is also accepted.' },
  diagnostics_secret: { type: 'apiKey', in: 'header', name: 'x-diagnostics-secret' },
  diagnostics_probe: { type: 'apiKey', in: 'header', name: 'x-diagnostics-probe' },
  payment_provider: {
    type: 'apiKey',
    in: 'header',
    name: 'Payment-Signature',
    description: 'Signature of the raw body. The header `Stripe-Signature` is also accepted.',
  },
}

const header = (description: string, type = 'string', format?: string): JsonSchema => ({
  description,
  schema: { type, ...(format ? { format } : {}) },
})

const UNEXPOSED: ReadonlySet<string> = new Set(['Cache-Control', 'Content-Encoding', 'Content-Language', 'Last-Modified', 'Vary'])

export const HEADERS: Readonly<Record<string, JsonSchema>> = {
  'X-Request-Id': header('Id of this request in the log and in the ledger.'),
  ETag: header(
    'Strong entity tag of the response. While the response is unchanged, a request with this tag in `If-None-Match` returns 304, free of charge.',
  ),
  'Last-Modified': header('Publication time of the release.'),
  'Cache-Control': header('Caching rules of the response.'),
  Link: header('`rel="next"`: URL of the next page in the same release. Absent on the last page.'),
  'X-Release': header('Release that contains the rows. Send this id as `release` to read the same rows again.'),
  'X-As-Of': header('Value of `as_of` in the request: a day, or a time in Taipei. Absent if not sent.'),
  'X-Dataset': header('Id of the dataset.'),
  'X-Row-Count': header('Number of rows in this response.', 'integer'),
  'X-Row-Limit': header(
    'Row limit of the response. If `limit` was sent, this is the maximum rows per response of the plan, followed by `; limited` if more rows match. Otherwise, this is the default limit, followed by `; default`, and by `; more` if more rows match.',
  ),
  'X-Total-Rows': header(
    'Number of matching rows on all pages. The last page always has this header. Absent if the number is unknown.',
    'integer',
  ),
  'X-Data-As-Of': header(
    'Newest day of the release. For a release with future days, such as the trading calendar, this is the publication day. Absent if no release is served.',
    'string',
    'date',
  ),
  'X-Known-Gaps': header('Known gaps of the dataset, as labels separated by commas. Absent if the dataset has no known gaps.'),
  'X-Warnings': header('Warnings about the data, as labels separated by commas. Show these warnings with the data.'),
  'X-Releases': header('Releases that were read, as `slug=release` separated by commas. Absent if no dataset was read.'),
  'X-Scanned-Rows': header('Number of scanned rows from which the price of an SQL query is computed.', 'integer'),
  'X-Missing': header(
    'Number of missing values by reason, for example `not_announced=3, no_value=1`. Absent if no values are missing, and in responses to HEAD.',
  ),
  'X-Empty-Reason': header('Reason why there are no rows. Absent if there are rows.'),
  'X-Unknown-Symbols': header(
    'Requested tickers that no served dataset has, separated by commas, at most 10. Absent if all tickers are known.',
  ),
  'X-Did-You-Mean': header('Tickers that resemble the unknown tickers, separated by commas. Absent if there are no similar tickers.'),
  'Server-Timing': header('Duration of each stage of the request, in milliseconds.'),
  'X-Credits-Charged': header('Credits charged for this response.', 'integer'),
  'X-Credits-Remaining': header('Remaining credits of the period.', 'integer'),
  'X-Credits-Limit': header('Credits of the period, including granted and refunded credits.', 'integer'),
  'X-Credits-Reset': header('End of the period, when the credits reset.', 'string', 'date-time'),
  RateLimit: header(
    'Number of remaining requests, and seconds until the full limit is available again. If no requests remain, this is the number of seconds until the next request is allowed.',
  ),
  'RateLimit-Policy': header('Request limits in effect.'),
  'X-RateLimit-Limit': header('Maximum number of requests per minute.', 'integer'),
  'X-RateLimit-Remaining': header('Number of remaining requests of the current minute.', 'integer'),
  'X-RateLimit-Reset': header(
    'Seconds until the full limit is available again. If no requests remain, this is the number of seconds until the next request is allowed.',
    'integer',
  ),
  'Content-Language': header('Language of the messages: `en`, or `zh-TW` if `Accept-Language` requests Traditional Chinese.'),
  Vary: header('Request headers that affect the response.'),
  'WWW-Authenticate': header('Accepted credentials: a scheme of the `Authorization` header, or the name of another header.'),
  'Content-Disposition': header('File name for saving the response. Present for the formats `csv`, `arrow` and `parquet`.'),
  'Content-Encoding': header(
    'Compression of the response: `zstd`, `br` or `gzip`. Absent if `Accept-Encoding` allows none of these, or if the response is small.',
  ),
  'Accept-Ranges': header('Value `bytes`: the file supports range requests.'),
  'Content-Range': header('Range of the file in this response, and the file size.'),
  'Content-Length': header('Size of the response in bytes.', 'integer'),
  'Delta-Table-Version': header('Version of the table in the response.', 'integer'),
  'Delta-Sharing-Capabilities': header('Format of the lines in the response: `responseformat=delta` or `responseformat=parquet`.'),
  'Retry-After': header('Seconds to wait before the next attempt.', 'integer'),
}

/** Headers that pages of other origins may read (CORS). */
export const EXPOSED = Object.keys(HEADERS).filter(name => !UNEXPOSED.has(name))

const OF_READS = [
  'Last-Modified',
  'Link',
  'X-Release',
  'X-As-Of',
  'X-Dataset',
  'X-Row-Count',
  'X-Row-Limit',
  'X-Total-Rows',
  'Server-Timing',
  'Content-Disposition',
  'X-Data-As-Of',
  'X-Known-Gaps',
  'X-Warnings',
  'X-Empty-Reason',
  'X-Unknown-Symbols',
  'X-Did-You-Mean',
]
const OF_QUERY = ['X-Row-Count', 'Server-Timing', 'Content-Disposition', 'X-Known-Gaps', 'X-Warnings', 'X-Missing']
const OF_SQL = [
  'X-Row-Count',
  'X-Row-Limit',
  'X-Releases',
  'X-Scanned-Rows',
  'X-As-Of',
  'Link',
  'Server-Timing',
  'Content-Disposition',
  'X-Known-Gaps',
  'X-Warnings',
]
const OF_FILES = ['Last-Modified', 'X-Release', 'X-Dataset', 'X-Row-Count', 'X-Data-As-Of', 'X-Known-Gaps', 'X-Warnings', 'Server-Timing']
const OF_TABLE = ['Delta-Table-Version', 'Delta-Sharing-Capabilities']
const OF_QUOTA = Object.keys(HEADERS).filter(name => /^(X-Credits|RateLimit|X-RateLimit)/.test(name))

const WITH_QUOTA: ReadonlySet<Caller> = new Set(['api_key', 'file_reader', 'self_serve_token', 'payer'])

const isRead = ({ endpoint: { group, caller } }: DescribedRoute): boolean => group === 'datasets' && caller === 'api_key'

const isQuery = ({ path }: DescribedRoute): boolean => path === '/v2/query'

const isSql = ({ path }: DescribedRoute): boolean => path === '/v2/sql'

const isTable = ({ path }: DescribedRoute): boolean => path.startsWith('/delta-sharing/') && path.includes('{table}')

const isOfFiles = ({ path }: DescribedRoute): boolean => /\/(parts|\{table\}\/(metadata|query))$/.test(path)

/** True if callers can send the response's ETag in `If-None-Match`. */
export const hasEtag = (route: DescribedRoute): boolean =>
  isRead(route) || (isSql(route) && route.method === 'GET') || route.endpoint.ranges === true || isTagged(route.method, route.endpoint)

/** In no particular order. */
export function headersOf(route: DescribedRoute): readonly string[] {
  const { caller } = route.endpoint
  const tag = hasEtag(route) ? ['ETag', 'Cache-Control'] : []
  const quota = WITH_QUOTA.has(caller) ? OF_QUOTA : []
  const ranges = route.endpoint.ranges ? ['Accept-Ranges', 'Content-Length'] : []
  return [
    'X-Request-Id',
    ...tag,
    ...ranges,
    ...(isRead(route) ? OF_READS : []),
    ...(isQuery(route) ? OF_QUERY : []),
    ...(isSql(route) ? OF_SQL : []),
    ...(isTable(route) ? OF_TABLE : []),
    ...(isOfFiles(route) ? OF_FILES : []),
    ...(route.path.endsWith('/parts') ? ['X-As-Of'] : []),
    ...quota,
  ]
}
