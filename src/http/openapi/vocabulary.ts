import { type Caller, type Group, isTagged } from '../kernel/index.ts'
import type { JsonSchema } from './json-schema.ts'
import type { DescribedRoute } from './routes.ts'

/** Version of this description; paths carry their own. */
export const API_VERSION = '2.0.0'

/** What each group holds, in the order documentation shows them. */
export const GROUPS: Readonly<Record<Group, string>> = {
  datasets: 'Rows of the datasets, in the envelope of each.',
  tables: 'Whole releases: files and lists of their parts, and datasets as Delta tables for readers of Delta Sharing.',
  catalog: 'What there is, how fresh and complete it is, what changed, what it costs.',
  search: 'Finding symbols, datasets and fields; single fields as of a day.',
  account: 'What a key may do, has used and will be billed.',
  self_serve: 'Signing in, keys, closing an account.',
  webhooks: 'Endpoints that are told of new data, messages to them and their secrets.',
  billing: 'Checkout, the payment provider, keys of a subscription.',
  administration: 'For the owner of the service.',
  service: 'Probes, metadata and this description.',
}

/** How each kind of caller says who it is. */
export const SECURITY: Readonly<Record<Exclude<Caller, 'public' | 'file_reader' | 'agent' | 'payer'> | 'signed_url', JsonSchema>> = {
  api_key: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'Also taken as Authorization: Bearer.' },
  signed_url: {
    type: 'apiKey',
    in: 'query',
    name: 'sig',
    description: 'Of a URL that was given as a whole, signed for one file and a while.',
  },
  service_token: { type: 'http', scheme: 'bearer', description: 'For the website’s own backend.' },
  self_serve_token: { type: 'apiKey', in: 'header', name: 'x-self-serve-token' },
  browser: {
    type: 'apiKey',
    in: 'cookie',
    name: 'twmd-session',
    description:
      'The token of a signed-in session where no script reads it; `__Host-twmd-session` over https. With the header `x-portal: 1` it admits to whatever takes a self-serve token or an API key, unless one is sent, and without that header to nothing.',
  },
  admin_token: { type: 'http', scheme: 'bearer', description: 'Also taken in x-admin-token.' },
  diagnostics_secret: { type: 'apiKey', in: 'header', name: 'x-diagnostics-secret' },
  diagnostics_probe: { type: 'apiKey', in: 'header', name: 'x-diagnostics-probe' },
  payment_provider: {
    type: 'apiKey',
    in: 'header',
    name: 'Payment-Signature',
    description: 'Over the bytes of the body; also taken in Stripe-Signature.',
  },
}

const header = (description: string, type = 'string', format?: string): JsonSchema => ({
  description,
  schema: { type, ...(format ? { format } : {}) },
})

const UNEXPOSED: ReadonlySet<string> = new Set(['Cache-Control', 'Content-Encoding', 'Content-Language', 'Last-Modified', 'Vary'])

/** Headers that answers name, by name. */
export const HEADERS: Readonly<Record<string, JsonSchema>> = {
  'X-Request-Id': header('Name of this request in our log and in the ledger.'),
  ETag: header('Strong tag of the answer; sent back in If-None-Match it is answered 304, free of charge.'),
  'Last-Modified': header('When the release was published.'),
  'Cache-Control': header('Who may keep the answer, and whether it has to ask again.'),
  Link: header('rel="next" leads to the next page of the same release; absent on the last page.'),
  'X-Release': header('The release the rows came from; as the parameter release it reads the same rows again.'),
  'X-Dataset': header('Id of the dataset.'),
  'X-Row-Count': header('Rows in this answer.', 'integer'),
  'X-Row-Limit': header(
    'Maximum rows of one answer in the plan, followed by "; limited" if it dropped rows. If the request has no limit: the default limit, "; default", and "; more" if more rows match.',
  ),
  'X-Total-Rows': header('Number of matching rows, if this page shows it.', 'integer'),
  'X-Data-As-Of': header(
    'Newest day the release holds, at most the day it was published where it holds days to come, as the trading calendar does; absent without a release.',
    'string',
    'date',
  ),
  'X-Known-Gaps': header('What the dataset is known to lack, as labels separated by commas; absent where nothing is.'),
  'X-Warnings': header('What a reader must not overlook, as labels separated by commas.'),
  'X-Missing': header(
    'How many values asked for are missing, by reason: not_announced=3, no_value=1; absent where none is, and in answers to HEAD.',
  ),
  'X-Empty-Reason': header('Why there are no rows; absent where there are.'),
  'X-Unknown-Symbols': header('Requested tickers that no served dataset has, separated by commas: the first 10. Absent if there are none.'),
  'X-Did-You-Mean': header('Tickers that resemble the unknown ones, separated by commas. Absent if there are none.'),
  'Server-Timing': header('Milliseconds of each stage.'),
  'X-Credits-Charged': header('Credits this answer cost.', 'integer'),
  'X-Credits-Remaining': header('Credits left in the period.', 'integer'),
  'X-Credits-Limit': header('Credits of the period.', 'integer'),
  'X-Credits-Reset': header('When the period ends.', 'string', 'date-time'),
  RateLimit: header('Requests left in the minute, and seconds until it is full again; where none is left, until the next one.'),
  'RateLimit-Policy': header('The limits that hold.'),
  'X-RateLimit-Limit': header('Requests a minute.', 'integer'),
  'X-RateLimit-Remaining': header('Requests left in the minute.', 'integer'),
  'X-RateLimit-Reset': header('Seconds until the minute is full again; where no request is left, until the next one.', 'integer'),
  'Content-Language': header('Language of the sentences: en, or zh-TW where Accept-Language asks for Traditional Chinese.'),
  Vary: header('Request headers the answer depends on.'),
  'WWW-Authenticate': header('How to say who one is: the scheme of Authorization, or the header to send instead.'),
  'Content-Disposition': header('Name of the file to save; of csv, arrow and parquet.'),
  'Content-Encoding': header('zstd, br or gzip, where Accept-Encoding takes it and the answer is large enough to gain by it.'),
  'Accept-Ranges': header('bytes: a part of the file may be asked for.'),
  'Content-Range': header('Which bytes of the file these are, and how many it has.'),
  'Content-Length': header('Bytes of the answer.', 'integer'),
  'Delta-Table-Version': header('Version of the table the answer is about.', 'integer'),
  'Delta-Sharing-Capabilities': header('responseformat=delta or parquet: how the lines are written.'),
  'Retry-After': header('Seconds to wait before trying again.', 'integer'),
}

/** Headers that pages of other origins may read: all of them, but for those every page may read and those that speak of the transfer. */
export const EXPOSED = Object.keys(HEADERS).filter(name => !UNEXPOSED.has(name))

const OF_READS = [
  ...['Last-Modified', 'Link', 'X-Release', 'X-Dataset', 'X-Row-Count', 'X-Row-Limit', 'X-Total-Rows', 'Server-Timing'],
  ...['Content-Disposition', 'X-Data-As-Of', 'X-Known-Gaps', 'X-Warnings', 'X-Empty-Reason'],
  ...['X-Unknown-Symbols', 'X-Did-You-Mean'],
]
const OF_QUERY = ['X-Row-Count', 'Server-Timing', 'Content-Disposition', 'X-Known-Gaps', 'X-Warnings', 'X-Missing']
const OF_FILES = ['Last-Modified', 'X-Release', 'X-Dataset', 'X-Row-Count', 'X-Data-As-Of', 'X-Known-Gaps', 'X-Warnings', 'Server-Timing']
const OF_TABLE = ['Delta-Table-Version', 'Delta-Sharing-Capabilities']
const OF_QUOTA = Object.keys(HEADERS).filter(name => /^(X-Credits|RateLimit|X-RateLimit)/.test(name))

const WITH_QUOTA: ReadonlySet<Caller> = new Set(['api_key', 'file_reader', 'self_serve_token', 'payer'])

const isRead = ({ endpoint: { group, caller } }: DescribedRoute): boolean => group === 'datasets' && caller === 'api_key'

const isQuery = ({ endpoint: { group, formats } }: DescribedRoute): boolean => group === 'search' && formats === true

const isTable = ({ path }: DescribedRoute): boolean => path.startsWith('/delta-sharing/') && path.includes('{table}')

/** Lists of files, which say of which release they are, and what a shared table is. */
const isOfFiles = ({ path }: DescribedRoute): boolean => /\/(parts|\{table\}\/(metadata|query))$/.test(path)

/** True where an answer carries a tag that may be sent back. */
export const hasEtag = (route: DescribedRoute): boolean =>
  isRead(route) || route.endpoint.ranges === true || isTagged(route.method, route.endpoint)

/** Headers of a good answer of that route, in no order. */
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
    ...(isTable(route) ? OF_TABLE : []),
    ...(isOfFiles(route) ? OF_FILES : []),
    ...quota,
  ]
}
