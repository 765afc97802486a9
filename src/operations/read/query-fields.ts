import { createHash } from 'node:crypto'
import { type Catalog, type Fields, type Format, QUERY } from '../../../catalog/index.ts'
import type { Weight } from '../../access/index.ts'
import { type Clock, type Grant, Refusal, taipeiDay } from '../../core/index.ts'
import type { Pool, Reads } from '../../engine/index.ts'
import {
  answerFields,
  encodeFields,
  type FieldQuery,
  isUnbuilt,
  type MissingReason,
  type NewestFacts,
  type QueryLabels,
  type QueryParams,
  queryLabels,
  readFieldQuery,
  requestedFields,
  requirePlan,
} from '../../field-query/index.ts'
import type { Body } from '../../formats/index.ts'
import { type Release, type Releases, releaseOf } from '../../releases/index.ts'
import type { Columns } from '../../row-cache/index.ts'
import { type DryRun, dryRun } from './dry-run.ts'
import { type Call, type Meta, type MeterDeps, metered, uncharged } from './metering.ts'
import { RELEASES_CHANGED } from './releases-changed.ts'
import { retryAfterVerify } from './retry-after-verify.ts'

export interface QueryDeps extends MeterDeps {
  readonly catalog: Catalog
  readonly releases: Releases
  readonly pool: Pool
  readonly newest: NewestFacts
  readonly columns: Columns
  readonly clock: Clock
}

/** Facts about a query. Formats other than JSON omit these facts. */
export interface QueryMeta extends Meta, QueryLabels {
  /** Number of missing values by reason, most frequent first. Null if the query did not run. */
  readonly missing: ReadonlyMap<MissingReason, number> | null
  readonly asOf: string
  readonly served: string
}

export interface QueryAnswer {
  readonly meta: QueryMeta
  /** Null if only headers were requested. */
  readonly body: string | Body | null
}

export interface QueryInput extends QueryParams {
  readonly sentAs?: Format
  readonly bom?: boolean
  /**
   * `QueryMeta.served` of the previous page. The call is refused if the served releases have
   * changed.
   */
  readonly served?: string | undefined
}

/**
 * Returns values of fields for several entities, as of a day.
 * @throws Refusal plan_required, invalid_parameter, credits_exhausted, concurrency_limited,
 * overloaded, query_timeout; invalid_cursor if the served releases differ from `served`
 */
export type QueryFields = (caller: Grant, input: QueryInput, call: Call) => Promise<QueryAnswer>

export function createQueryFields(deps: QueryDeps, fields: Fields): QueryFields {
  const { catalog, releases, clock } = deps
  return (caller, input, call) =>
    metered(deps, caller, QUERY, call, async meter => {
      const { requestId, time } = call
      requirePlan(requestedFields(fields, { ...input }), caller.plan)
      const today = taipeiDay(clock())
      const query = readFieldQuery(fields, input, caller.plan, today)
      time.lap('plan')
      const { asOf } = query
      const pool: Reads = { read: (statement, use) => deps.pool.read(statement, use, caller.accountId) }
      if (call.planOnly) {
        const labels = queryLabels(query, releases)
        return {
          meta: {
            ...labels,
            asOf,
            served: servedTag(query, releases),
            missing: null,
            rows: 0,
            charge: uncharged(deps.gate, caller),
            timings: time.laps,
          },
          body: null,
        }
      }
      const answer = async (): Promise<QueryAnswer> => {
        await meter.begin({ ...weightOf(query, today), mayBeFree: isUnbuilt(query, releases) })
        // Both values must describe the same releases, so there is no await between them.
        const served = servedTag(query, releases)
        const labels = queryLabels(query, releases)
        if (input.served !== undefined && input.served !== served) throw new Refusal('invalid_cursor', {}, RELEASES_CHANGED)
        const result = await answerFields(query, catalog, { ...deps, pool }, { requestId, endpoint: '/v2/query', planId: caller.plan })
        time.lap('fetch')
        const { rows, missing } = result
        const { sentAs = 'json', bom = false } = input
        const body = sentAs === 'json' ? result.body : await encodeFields(query, result.body, sentAs, bom)
        if (sentAs !== 'json') time.lap('encode')
        const visitorRows = visitorRowsOf(query, today, rows)
        const charge = await meter.settle({ ...result, visitorRows, format: sentAs, bytes: result.body.length })
        return { meta: { ...labels, asOf, served, missing, rows, charge, timings: time.laps }, body }
      }
      return retryAfterVerify(answer, () => {
        meter.release()
        return reportReadFailures(query, releases)
      })
    })
}

/** The estimate has one row per entity. */
export type DryQueryFields = (caller: Grant, input: QueryInput) => Promise<DryRun>

export function createDryQueryFields(deps: QueryDeps, fields: Fields): DryQueryFields {
  return (caller, input) =>
    dryRun(deps, caller, QUERY, async () => {
      requirePlan(requestedFields(fields, { ...input }), caller.plan)
      const query = readFieldQuery(fields, input, caller.plan, taipeiDay(deps.clock()))
      const bytes = maxBytes(query, input.sentAs ?? 'json')
      return {
        format: input.sentAs ?? 'json',
        release: null,
        rows: query.entities.length,
        isExact: false,
        limited: false,
        bytes,
        free: isUnbuilt(query, deps.releases),
      }
    })
}

/** Concurrency slots of a query for an earlier day. Such a query can open many releases. */
const HISTORIC_SLOTS = 3
const VALUE_BYTES = 256

const weightOf = ({ asOf, entities, fields }: FieldQuery, today: string): Required<Weight> => ({
  slots: asOf < today ? HISTORIC_SLOTS : 1,
  bytes: entities.length * fields.length * VALUE_BYTES,
})

/** For a visitor's limit, this many values of an earlier day count as one row. */
const VALUES_PER_VISITOR_ROW = 10

/** For an earlier day, each requested value also counts as work. */
const visitorRowsOf = ({ asOf, entities, fields }: FieldQuery, today: string, rows: number): number =>
  asOf < today ? rows + Math.ceil((entities.length * fields.length) / VALUES_PER_VISITOR_ROW) : rows

/** Maximum sizes in bytes: without metadata, and with metadata. */
const SIZE_ESTIMATES: Readonly<Record<Format, { readonly value: readonly [number, number]; readonly column: readonly [number, number] }>> =
  {
    json: { value: [80, 400], column: [200, 200] },
    ndjson: { value: [60, 350], column: [0, 0] },
    csv: { value: [40, 100], column: [40, 200] },
    arrow: { value: [40, 120], column: [700, 3_000] },
    parquet: { value: [20, 70], column: [900, 3_500] },
  }

function maxBytes({ entities, fields, minimal }: FieldQuery, format: Format): number {
  const { value, column } = SIZE_ESTIMATES[format]
  const variant = minimal ? 0 : 1
  return 2_500 + fields.length * (column[variant] + entities.length * value[variant])
}

const releasesOf = ({ fields }: FieldQuery, releases: Releases): ReadonlySet<Release | null> =>
  new Set(fields.map(({ dataset }) => releaseOf(dataset, releases)))

function servedTag(query: FieldQuery, releases: Releases): string {
  const ids = [...releasesOf(query, releases)].map(release => release && `${release.manifest.dataset} ${release.id}`)
  return createHash('sha256').update(ids.join()).digest('base64url').slice(0, 8)
}

function reportReadFailures(query: FieldQuery, releases: Releases): Promise<unknown> {
  const used = releasesOf(query, releases)
  return Promise.all([...used].map(release => release && releases.reportReadFailure(release)))
}
