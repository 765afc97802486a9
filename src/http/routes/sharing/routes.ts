import { Refusal, serverTiming } from '../../../core/index.ts'
import type { SharingFormat } from '../../../delta/index.ts'
import { createShareTables, SHARED_SCHEMA, type ShareDeps } from '../../../operations/index.ts'
import { answered, type Endpoint, encoded, type Headers, type Route, releaseHeaders, route } from '../../kernel/index.ts'
import { pageOf } from './pages.ts'
import {
  AS_OF,
  CAPABILITIES,
  CHANGES_PARAMS,
  NO_CHANGE_FEED,
  OF_SCHEMA,
  OF_SHARE,
  OF_TABLE,
  OneShare,
  OneTable,
  PAGE,
  QueryBody,
  Schemas,
  Shares,
  SINCE,
  Tables,
} from './schemas.ts'

const PATH = '/delta-sharing/shares'
const SHARING = { group: 'tables', caller: 'api_key' } as const
const A_SHARE = { path: { share: 'free' } }
const A_SCHEMA = { path: { ...A_SHARE.path, schema: SHARED_SCHEMA } }
const A_TABLE = { path: { ...A_SCHEMA.path, table: 'theme_taxonomy' } }
const LINES = 'application/x-ndjson'

const LIST_SHARES = {
  ...SHARING,
  summary: 'Shares of the plan',
  summaryZh: '列出方案可用的 share',
  description:
    'Lists the shares up to the plan of the caller. Each plan has one share, which contains the datasets that require the plan. Free of charge.',
  query: PAGE,
  answer: Shares,
  refusals: ['invalid_cursor'],
  example: {},
} as const satisfies Endpoint

const SHARE = {
  ...SHARING,
  summary: 'One share',
  summaryZh: '查詢單一 share',
  path: OF_SHARE,
  answer: OneShare,
  refusals: ['unknown_id', 'plan_required'],
  example: A_SHARE,
} as const satisfies Endpoint

const LIST_SCHEMAS = {
  ...SHARING,
  summary: 'Schemas of a share',
  summaryZh: '列出 share 的 schema',
  description: `Lists the schemas of a share. Each share has one schema, \`${SHARED_SCHEMA}\`.`,
  path: OF_SHARE,
  query: PAGE,
  answer: Schemas,
  refusals: ['unknown_id', 'plan_required', 'invalid_cursor'],
  example: A_SHARE,
} as const satisfies Endpoint

const LIST_TABLES = {
  ...SHARING,
  summary: 'Tables of a schema',
  summaryZh: '列出 schema 的資料表',
  path: OF_SCHEMA,
  query: PAGE,
  answer: Tables,
  refusals: ['unknown_id', 'plan_required', 'invalid_cursor'],
  example: A_SCHEMA,
} as const satisfies Endpoint

const LIST_ALL = {
  ...LIST_TABLES,
  summary: 'Tables of a share',
  summaryZh: '列出 share 的所有資料表',
  path: OF_SHARE,
  example: A_SHARE,
} as const satisfies Endpoint

const TABLE = {
  ...SHARING,
  summary: 'One table',
  summaryZh: '查詢單一資料表',
  description:
    'Returns one table. The `Delta-Table-Version` header has the current version of the table. Older clients read this header with a HEAD request.',
  path: OF_TABLE,
  answer: OneTable,
  refusals: ['unknown_id', 'plan_required'],
  example: A_TABLE,
} as const satisfies Endpoint

const VERSION = {
  ...SHARING,
  summary: 'Version of a table',
  summaryZh: '查詢資料表版本',
  description:
    'Returns the version of the table in the `Delta-Table-Version` header, with an empty body. Each served release adds one version.',
  path: OF_TABLE,
  query: SINCE,
  answer: LINES,
  refusals: ['unknown_id', 'plan_required'],
  example: A_TABLE,
} as const satisfies Endpoint

const METADATA = {
  ...SHARING,
  summary: 'Columns of a table',
  summaryZh: '查詢資料表欄位',
  description: 'Returns two lines, `protocol` and `metaData`, as defined by the Delta Sharing protocol.',
  path: OF_TABLE,
  query: AS_OF,
  headers: CAPABILITIES,
  answer: LINES,
  refusals: ['unknown_id', 'plan_required', 'release_retired', 'integrity', 'overloaded'],
  example: A_TABLE,
} as const satisfies Endpoint

const QUERY = {
  ...SHARING,
  summary: 'Files of a table',
  summaryZh: '查詢資料表檔案',
  description:
    'Returns the lines `protocol` and `metaData`, then one line per Parquet file. Each of these lines has a download URL, which is valid for one hour while the key is valid. Hints omit files without matching rows, but do not filter the rows of a file. All files belong to one release. The number of reads charged is the number of rows in the listed files divided by the maximum rows per response of the plan, rounded up. Downloads of the files are free of charge.',
  path: OF_TABLE,
  headers: CAPABILITIES,
  body: QueryBody,
  answer: LINES,
  cache: 'no-store',
  refusals: ['unknown_id', 'plan_required', 'release_retired', 'integrity', 'credits_exhausted', 'concurrency_limited', 'overloaded'],
  example: { ...A_TABLE, body: { limitHint: 1_000 } },
} as const satisfies Endpoint

const CHANGES = {
  ...SHARING,
  summary: 'Changes of a table: not shared',
  summaryZh: '資料表的變更（不提供）',
  description:
    'Always returns an error, because changes between versions are not shared. GET /v2/updates lists the changes of each publication.',
  path: OF_TABLE,
  query: CHANGES_PARAMS,
  answer: LINES,
  refusals: ['unknown_path', 'unknown_id', 'plan_required'],
} as const satisfies Endpoint

/** Delta Sharing protocol. The API key is the bearer token. */
export function sharingRoutes(deps: ShareDeps): readonly Route<'api_key'>[] {
  const tables = createShareTables(deps)
  return [
    route(`GET ${PATH}`, LIST_SHARES, ({ caller, query }) => pageOf(tables.shares(caller).map(named), query)),
    route(`GET ${PATH}/:share`, SHARE, ({ caller, params }) => ({ share: named(tables.share(caller, params.share)) })),
    route(`GET ${PATH}/:share/schemas`, LIST_SCHEMAS, ({ caller, params, query }) => {
      const share = tables.share(caller, params.share)
      return pageOf([{ name: SHARED_SCHEMA, share } as const], query)
    }),
    route(`GET ${PATH}/:share/schemas/:schema/tables`, LIST_TABLES, ({ caller, params, query }) =>
      pageOf(tables.tables(caller, params.share, params.schema), query),
    ),
    route(`GET ${PATH}/:share/all-tables`, LIST_ALL, ({ caller, params, query }) => pageOf(tables.tables(caller, params.share), query)),
    route(`GET ${PATH}/:share/schemas/:schema/tables/:table`, TABLE, async ({ caller, params }) => {
      const { version, table } = await tables.table(caller, params)
      return answered({ table }, { headers: { 'delta-table-version': version } })
    }),
    route(`GET ${PATH}/:share/schemas/:schema/tables/:table/version`, VERSION, async ({ caller, params, query }) => {
      const version = await tables.version(caller, params, query.startingTimestamp)
      return encoded('', { headers: { 'delta-table-version': version } })
    }),
    route(`GET ${PATH}/:share/schemas/:schema/tables/:table/metadata`, METADATA, async ({ caller, params, query, headers: sent }) => {
      const sharing = capabilitiesOf(sent['delta-sharing-capabilities'])
      const { version, facts, lines } = await tables.metadata(caller, params, query, sharing.format)
      const headers = { ...releaseHeaders(facts), 'delta-table-version': version, ...echo({ ...sharing, endLine: false }) }
      return encoded(lines, { headers })
    }),
    route(`GET ${PATH}/:share/schemas/:schema/tables/:table/changes`, CHANGES, async ({ caller, params }) => {
      await tables.table(caller, params)
      throw new Refusal('unknown_path', {}, NO_CHANGE_FEED)
    }),
    route(`POST ${PATH}/:share/schemas/:schema/tables/:table/query`, QUERY, async call => {
      const { predicateHints, jsonPredicateHints, limitHint, version, timestamp } = call.body
      const sharing = capabilitiesOf(call.headers['delta-sharing-capabilities'])
      const asOf = { version: version ?? null, timestamp: timestamp ?? null }
      const wanted = { ...sharing, ...asOf, sql: predicateHints ?? [], json: jsonPredicateHints ?? null, limit: limitHint ?? null }
      const answer = await tables.query(call.caller, call.params, wanted, call)
      const { rows, charge, timings } = answer.meta
      const headers = {
        ...releaseHeaders(answer.facts),
        'delta-table-version': answer.version,
        'x-row-count': rows,
        'server-timing': serverTiming(timings),
        ...echo(sharing),
      }
      return encoded(answer.lines, { headers, charge })
    }),
  ]
}

const named = <N extends string>(name: N): { readonly name: N } => ({ name })

interface Capabilities {
  readonly format: SharingFormat
  /** True to add a last line with the expiry time of the URLs. */
  readonly endLine: boolean
}

/** Parses `name=value,value;…`, case-insensitive. */
function capabilitiesOf(header = ''): Capabilities {
  const stated = header.toLowerCase().replaceAll(/\s/g, '').split(';')
  const formats = stated.flatMap(one => (one.startsWith('responseformat=') ? one.slice('responseformat='.length).split(',') : []))
  return { format: formats.includes('delta') ? 'delta' : 'parquet', endLine: stated.includes('includeendstreamaction=true') }
}

/** States the capabilities that affected the response. */
const echo = ({ format, endLine }: Capabilities): Headers => ({
  'delta-sharing-capabilities': `responseformat=${format}${endLine ? ';includeendstreamaction=true' : ''}`,
})
