import { z } from 'zod'
import { type Format, SQL } from '../../../../catalog/index.ts'
import { type FaultType, inputRefusal, serverTiming, type Words } from '../../../core/index.ts'
import { ENCODERS } from '../../../formats/index.ts'
import { createDryRunSql, createRunSql, type SqlDeps, type SqlInput, type SqlMeta } from '../../../operations/index.ts'
import { MOST_OFFSET, MOST_ROWS } from '../../../read/index.ts'
import { MAX_QUERY } from '../../../sql/index.ts'
import {
  DRY_RUN_PARAM,
  dispositionOf,
  dryRunAnswer,
  type Endpoint,
  encoded,
  FORMAT_PARAMS,
  flag,
  formatOf,
  type Headers,
  headersAlone,
  integer,
  labelList,
  type Route,
  type RouteCall,
  route,
  SqlDryRunAnswer,
  text,
  unchanged,
} from '../../kernel/index.ts'
import { SqlAnswerBody, SqlBody, SqlPins, SqlValues } from './schemas.ts'

const DESCRIPTION = `Runs one SELECT of DuckDB’s SQL over the datasets of the plan, including joins, window functions, ASOF JOIN, PIVOT and QUALIFY. The price is the sum of the prices of the datasets in the query. The price of a dataset is its credits per read, multiplied by its scanned rows divided by the maximum rows per response of the plan, rounded up. The minimum is ${SQL.access.credits} credit. Conditions on the key and the date of a dataset reduce the scanned rows. A request with \`dry_run\` returns the price.`

const SHARED = {
  group: 'search',
  caller: 'api_key',
  answer: SqlAnswerBody,
  formats: true,
  dryRun: SqlDryRunAnswer,
  refusals: [
    'invalid_parameter',
    'plan_required',
    'format_not_supported',
    'credits_exhausted',
    'unknown_id',
    'release_retired',
    'concurrency_limited',
    'reserved_endpoint',
    'integrity',
    'overloaded',
    'data_unavailable',
    'dataset_building',
    'query_timeout',
  ],
  priced: SQL,
} as const satisfies Partial<Endpoint>

const EXAMPLE = 'SELECT count(*) AS firms FROM securities_firm_master'

const GET_SQL = {
  ...SHARED,
  summary: 'SQL query over the datasets',
  summaryZh: '以 SQL 查詢資料集',
  description: DESCRIPTION,
  query: z.object({
    // No pattern describes SQL.
    q: z
      .string()
      .min(1)
      .max(MAX_QUERY)
      .meta({
        description: 'One SELECT statement. A table name is the slug of a dataset with `_` instead of `-`.',
        example: EXAMPLE,
        wire: { type: 'string', minLength: 1, maxLength: MAX_QUERY },
      }),
    params: text(8_192, {
      doc: 'Values of the parameters of the query. A JSON list has the values of `$1`, `$2` and so on. A JSON object has the values of `$name`.',
      example: '[]',
    }),
    limit: integer([1, MOST_ROWS], null, { doc: 'Maximum number of rows to return. Default: the maximum of the plan.' }),
    offset: integer([0, MOST_OFFSET], 0, { doc: 'Number of rows to skip. The query needs ORDER BY for stable pages.' }),
    as_of: text(40, {
      doc: 'Reads the releases that were served at the end of this day in Taipei, or at this RFC 3339 time. Not together with `releases`.',
    }),
    releases: text(4_000, { doc: 'Retained releases to read, as `slug=release` separated by commas. Default: the newest releases.' }),
    ...FORMAT_PARAMS,
    dry_run: flag(false, { doc: DRY_RUN_PARAM }),
  }),
  example: { query: { q: EXAMPLE } },
} as const satisfies Endpoint

const POST_SQL = {
  ...SHARED,
  summary: 'SQL query over the datasets, in the body',
  summaryZh: '以 SQL 查詢資料集（查詢置於內容）',
  description: `${DESCRIPTION} This operation accepts queries that are too long for a URL.`,
  body: SqlBody,
  example: { body: { q: EXAMPLE } },
} as const satisfies Endpoint

export function sqlRoutes(deps: SqlDeps): readonly Route<'api_key'>[] {
  const runSql = createRunSql(deps)
  const dryRunSql = createDryRunSql(deps)
  const answer = async (call: RouteCall<typeof GET_SQL> | RouteCall<typeof POST_SQL>, input: SqlInput, isDry: boolean) => {
    if (isDry) return dryRunAnswer(await dryRunSql(call.caller, input), call)
    const { meta, body } = await runSql(call.caller, input, call)
    const { charge } = meta
    const encoder = ENCODERS[input.format]
    const headers = { ...headersOf(meta, input), 'server-timing': serverTiming(meta.timings) }
    if (call.planOnly) return headersAlone({ headers, charge, encoder })
    if (body === null) return unchanged({ headers: headersOf(meta, input), charge, encoder })
    return encoded(body, { headers: { 'x-row-count': meta.rows, link: linkOf(meta, input), ...headers }, charge, encoder })
  }
  return [
    route('GET /v2/sql', GET_SQL, call => {
      const { q, params, limit, offset, as_of: asOf, releases, bom, dry_run: isDry } = call.query
      const values = params === null ? [] : jsonParam('params', params, SqlValues)
      const pins = releases === null ? {} : pinsOf(releases)
      const format = formatOf(call)
      const isKnown = (etag: string): boolean => call.isKnown(etag)
      return answer(call, { text: q, values, limit, offset, asOf, pins, format, bom, from: 'query', isKnown }, isDry)
    }),
    route('POST /v2/sql', POST_SQL, call => {
      const { q, params, limit, offset, as_of: asOf, releases, bom, dry_run: isDry } = call.body
      const format = formatOf({ query: call.body, accepted: call.accepted })
      return answer(call, { text: q, values: params, limit, offset, asOf, pins: releases, format, bom, from: 'body' }, isDry)
    }),
  ]
}

/** @throws Refusal invalid_parameter */
function jsonParam<T>(name: string, sent: string, schema: z.ZodType<T>): T {
  try {
    const parsed = schema.safeParse(JSON.parse(sent))
    if (parsed.success) return parsed.data
  } catch {
    // The error below reports the fault.
  }
  throw refused(name, NOT_VALUES, 'wrong_type')
}

/** Parses pairs `slug=release`, separated by commas. @throws Refusal invalid_parameter */
function pinsOf(sent: string): Readonly<Record<string, string>> {
  const pairs = sent.split(',').map(pair => pair.trim().split('='))
  const parsed = SqlPins.safeParse(Object.fromEntries(pairs))
  if (parsed.success && pairs.every(pair => pair.length === 2)) return parsed.data
  throw refused('releases', NOT_PINS, 'pattern')
}

const refused = (name: string, { en, zh }: Words, type: FaultType) =>
  inputRefusal([{ loc: ['query', name], words: { en: `${name} ${en}`, zh: `${name} ${zh}` }, type }])

const NOT_VALUES: Words = {
  en: 'must be a JSON list or object of texts, numbers, booleans and nulls, for example ["2330"]',
  zh: '必須是 JSON 陣列或物件，值為文字、數字、布林值或 null，例如 ["2330"]',
}
const NOT_PINS: Words = { en: 'must be slug=release, separated by commas', zh: '必須寫作 slug=release，以逗號分隔' }

function headersOf(meta: SqlMeta, { format, asOf }: SqlInput): Headers {
  return {
    etag: meta.etag,
    'content-disposition': dispositionOf(format, 'sql'),
    'x-releases':
      Object.entries(meta.releases)
        .map(([slug, id]) => `${slug}=${id}`)
        .join(', ') || undefined,
    'x-as-of': asOf ?? undefined,
    'x-scanned-rows': meta.scannedRows,
    'x-row-limit': meta.limit,
    'x-known-gaps': labelList(meta.gaps),
    'x-warnings': labelList(meta.warnings),
  }
}

/** In characters. The service refuses a longer URL. */
const LONGEST_LINK = 8_000

/**
 * The next page is read from the same releases. Undefined on the last page, or if the link would be
 * too long.
 */
function linkOf(meta: SqlMeta, { text: q, values, offset, format, bom, asOf }: SqlInput): string | undefined {
  if (!meta.more) return undefined
  const next = new URLSearchParams({ q })
  if (JSON.stringify(values).length > 2) next.set('params', JSON.stringify(values))
  next.set('limit', String(meta.limit))
  next.set('offset', String(offset + meta.rows))
  const pins = Object.entries(meta.releases).map(([slug, id]) => `${slug}=${id}`)
  if (asOf !== null) next.set('as_of', asOf)
  else if (pins.length > 0) next.set('releases', pins.join(','))
  if (format !== ('json' satisfies Format)) next.set('format', format)
  if (bom) next.set('bom', 'true')
  const link = `</v2/sql?${next}>; rel="next"`
  return link.length > LONGEST_LINK ? undefined : link
}
