import { type Caller, type Group, isTagged } from '../kernel/index.ts'
import type { JsonSchema } from './json-schema.ts'
import type { DescribedRoute } from './routes.ts'

/** Version of the OpenAPI document. Paths contain their own version. */
export const API_VERSION = '2.0.0'

/** Description of each group, in the order of the documentation. */
export const GROUPS: Readonly<Record<Group, string>> = {
  datasets: 'Rows of each dataset.',
  tables: 'Releases as files: lists of Parquet files, downloads, and Delta Sharing.',
  catalog: 'Available datasets, their freshness, coverage, changes and prices.',
  search: 'Search for symbols, datasets and fields, and queries of single fields as of a day.',
  account: 'Permissions, usage and billing of a key.',
  self_serve: 'Sign-in, keys and account closure.',
  webhooks: 'Webhook endpoints, their messages and secrets.',
  billing: 'Checkout, payment provider and subscription keys.',
  administration: 'For the operator of the service.',
  service: 'Probes, metadata and the API description.',
}

/** Authentication methods, keyed by kind of caller. */
export const SECURITY: Readonly<Record<Exclude<Caller, 'public' | 'file_reader' | 'agent' | 'payer'> | 'signed_url', JsonSchema>> = {
  api_key: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'Also accepted as `Authorization: Bearer`.' },
  signed_url: {
    type: 'apiKey',
    in: 'query',
    name: 'sig',
    description: 'Signature of a URL, valid for one file and a limited time.',
  },
  service_token: { type: 'http', scheme: 'bearer', description: 'For the backend of the website.' },
  self_serve_token: { type: 'apiKey', in: 'header', name: 'x-self-serve-token' },
  browser: {
    type: 'apiKey',
    in: 'cookie',
    name: 'twmd-session',
    description:
      'Token of a signed-in browser session. Over https it is in the cookie `__Host-twmd-session`, which scripts cannot read. If `x-portal: 1` is sent and no other credential, it replaces a self-serve token or API key. Without `x-portal: 1`, it has no effect.',
  },
  admin_token: { type: 'http', scheme: 'bearer', description: 'Also accepted in the `x-admin-token` header.' },
  diagnostics_secret: { type: 'apiKey', in: 'header', name: 'x-diagnostics-secret' },
  diagnostics_probe: { type: 'apiKey', in: 'header', name: 'x-diagnostics-probe' },
  payment_provider: {
    type: 'apiKey',
    in: 'header',
    name: 'Payment-Signature',
    description: 'Signature of the raw body. Also accepted in the `Stripe-Signature` header.',
  },
}

const header = (description: string, type = 'string', format?: string): JsonSchema => ({
  description,
  schema: { type, ...(format ? { format } : {}) },
})

const UNEXPOSED: ReadonlySet<string> = new Set(['Cache-Control', 'Content-Encoding', 'Content-Language', 'Last-Modified', 'Vary'])

/** Response headers that descriptions refer to, keyed by name. */
export const HEADERS: Readonly<Record<string, JsonSchema>> = {
  'X-Request-Id': header('Id of this request in the log and in the ledger.'),
  ETag: header(
    'Strong entity tag of the response. Send it in `If-None-Match` to receive a 304, free of charge, while the response is unchanged.',
  ),
  'Last-Modified': header('Publication time of the release.'),
  'Cache-Control': header('Caching rules of the response.'),
  Link: header('`rel="next"`: URL of the next page in the same release. Absent on the last page.'),
  'X-Release': header('Release of the rows. Send it in `release` to read the same rows again.'),
  'X-As-Of': header('Requested `as_of`: a day, or a time in Taipei. Absent if not sent.'),
  'X-Dataset': header('Id of the dataset.'),
  'X-Row-Count': header('Number of rows in this response.', 'integer'),
  'X-Row-Limit': header(
    'Maximum rows per response in the plan, followed by `; limited` if more rows match. For requests without `limit`: the default limit, followed by `; default`, and by `; more` if more rows match.',
  ),
  'X-Total-Rows': header('Number of matching rows. Present if it is known, as on the last page.', 'integer'),
  'X-Data-As-Of': header(
    'Newest day of the release. For a release with future days, such as the trading calendar, its publication day. Absent if no release is served.',
    'string',
    'date',
  ),
  'X-Known-Gaps': header('Known gaps of the dataset, as labels separated by commas. Absent if there are none.'),
  'X-Warnings': header('Warnings about the data, as labels separated by commas. Show them with the data.'),
  'X-Releases': header('Releases that were read, as `slug=release` separated by commas. Absent if no dataset was read.'),
  'X-Scanned-Rows': header('Scanned rows from which the price of an SQL query is computed.', 'integer'),
  'X-Missing': header(
    'Number of missing values by reason, for example `not_announced=3, no_value=1`. Absent if none are missing, and in responses to HEAD.',
  ),
  'X-Empty-Reason': header('Reason if there are no rows. Absent otherwise.'),
  'X-Unknown-Symbols': header('Requested tickers that no served dataset has, separated by commas, at most 10. Absent if there are none.'),
  'X-Did-You-Mean': header('Tickers that resemble the unknown ones, separated by commas. Absent if there are none.'),
  'Server-Timing': header('Duration of each stage of the request, in milliseconds.'),
  'X-Credits-Charged': header('Credits charged for this response.', 'integer'),
  'X-Credits-Remaining': header('Remaining credits of the period.', 'integer'),
  'X-Credits-Limit': header('Credits of the period, including granted and refunded credits.', 'integer'),
  'X-Credits-Reset': header('End of the period.', 'string', 'date-time'),
  RateLimit: header(
    'Remaining requests of the minute, and the seconds until the full limit is available again. If no requests remain, the seconds until the next request is allowed.',
  ),
  'RateLimit-Policy': header('Request limits in effect.'),
  'X-RateLimit-Limit': header('Maximum number of requests per minute.', 'integer'),
  'X-RateLimit-Remaining': header('Remaining requests of the minute.', 'integer'),
  'X-RateLimit-Reset': header(
    'Seconds until the full limit is available again. If no requests remain, seconds until the next request is allowed.',
    'integer',
  ),
  'Content-Language': header('Language of messages: en, or zh-TW if Accept-Language requests Traditional Chinese.'),
  Vary: header('Request headers that affect the response.'),
  'WWW-Authenticate': header('Accepted credentials: a scheme of the `Authorization` header, or the name of another header.'),
  'Content-Disposition': header('File name for saving. Present for `csv`, `arrow` and `parquet`.'),
  'Content-Encoding': header('`zstd`, `br` or `gzip`, if `Accept-Encoding` allows it and the response is large enough.'),
  'Accept-Ranges': header('`bytes`: range requests are supported.'),
  'Content-Range': header('Range of the file in this response, and the file size.'),
  'Content-Length': header('Size of the response in bytes.', 'integer'),
  'Delta-Table-Version': header('Table version of the response.', 'integer'),
  'Delta-Sharing-Capabilities': header('Format of the lines: `responseformat=delta` or `responseformat=parquet`.'),
  'Retry-After': header('Seconds to wait before the next attempt.', 'integer'),
}

/**
 * Response headers that pages of other origins may read (CORS). Excludes headers about the
 * transfer, and headers that browsers always expose.
 */
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

/** True if a route lists files or describes shared tables. */
const isOfFiles = ({ path }: DescribedRoute): boolean => /\/(parts|\{table\}\/(metadata|query))$/.test(path)

/** True if responses have an ETag that a caller may send in `If-None-Match`. */
export const hasEtag = (route: DescribedRoute): boolean =>
  isRead(route) || (isSql(route) && route.method === 'GET') || route.endpoint.ranges === true || isTagged(route.method, route.endpoint)

/** Returns the names of the headers that a successful response of a route has, unordered. */
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
