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
import { type DryRun, dryRun } from './dry-run.ts'
import { type Call, type Meta, type MeterDeps, metered, uncharged } from './metering.ts'
import { retryAfterVerify } from './retry-after-verify.ts'
import { SERVED_ANEW } from './served-anew.ts'

/** What a field query depends on. */
export interface QueryDeps extends MeterDeps {
  readonly catalog: Catalog
  readonly releases: Releases
  readonly pool: Pool
  readonly newest: NewestFacts
  readonly clock: Clock
}

/** Facts about a query that only its JSON says in the body. */
export interface QueryMeta extends Meta, QueryLabels {
  /** How many values are missing for each reason there is, most first; null where nothing was looked up. */
  readonly missing: ReadonlyMap<MissingReason, number> | null
  /** The day that values are as of. */
  readonly asOf: string
  /** Tells the releases that are served of the datasets queried from others. */
  readonly served: string
}

export interface QueryAnswer {
  readonly meta: QueryMeta
  /** In the format asked for; null when the caller wants headers only. */
  readonly body: string | Body | null
}

/** What a query asks, and the format of its answer: JSON when absent. */
export interface QueryInput extends QueryParams {
  readonly sentAs?: Format
  /** CSV begins with a byte order mark. */
  readonly bom?: boolean
  /** What was served when the page before was answered. Anything when absent. */
  readonly served?: string | undefined
}

/**
 * Answers fields of entities across datasets as of a day: plan → parameters → credits → values.
 *
 * @throws Refusal plan_required, invalid_parameter, credits_exhausted, concurrency_limited, overloaded, query_timeout; invalid_cursor where
 * something else is served than what was named
 */
export type QueryFields = (caller: Grant, input: QueryInput, call: Call) => Promise<QueryAnswer>

/** @param fields every field that can be asked for */
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
        // Of the same moment as the releases that are answered from, which may change whenever something is waited for.
        const [served, labels] = [servedTag(query, releases), queryLabels(query, releases)]
        if (input.served !== undefined && input.served !== served) throw new Refusal('invalid_cursor', {}, SERVED_ANEW)
        const found = await answerFields(query, catalog, { ...deps, pool }, { requestId, endpoint: '/v2/query', planId: caller.plan })
        time.lap('fetch')
        const { rows, missing } = found
        const { sentAs = 'json', bom = false } = input
        const body = sentAs === 'json' ? found.body : await encodeFields(query, found.body, sentAs, bom)
        if (sentAs !== 'json') time.lap('encode')
        const visitorRows = visitorRowsOf(query, today, rows)
        const charge = await meter.settle({ ...found, visitorRows, format: sentAs, bytes: found.body.length })
        return { meta: { ...labels, asOf, served, missing, rows, charge, timings: time.laps }, body }
      }
      return retryAfterVerify(answer, () => {
        meter.release()
        return reportReadFailures(query, releases)
      })
    })
}

/** What a query would answer and cost: one row for each entity, at most. */
export type DryQueryFields = (caller: Grant, input: QueryInput) => Promise<DryRun>

/** @param fields every field that can be asked for */
export function createDryQueryFields(deps: QueryDeps, fields: Fields): DryQueryFields {
  return (caller, input) =>
    dryRun(deps, caller, QUERY, async () => {
      requirePlan(requestedFields(fields, { ...input }), caller.plan)
      const query = readFieldQuery(fields, input, caller.plan, taipeiDay(deps.clock()))
      const bytes = atMostBytes(query, input.sentAs ?? 'json')
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

/** Concurrent reads that a query as of an earlier day counts as: it may open many releases. */
const PAST_SLOTS = 3
/** Typical size of one value with what is said about it. */
const VALUE_BYTES = 256

const weightOf = ({ asOf, entities, fields }: FieldQuery, today: string): Required<Weight> => ({
  slots: asOf < today ? PAST_SLOTS : 1,
  bytes: entities.length * fields.length * VALUE_BYTES,
})

/** Values as of an earlier day that are found in the time it takes to answer a row. */
const FOUND_AS_ONE = 10

/** Values as of an earlier day are looked for in many releases, whether or not they are found. */
const visitorRowsOf = ({ asOf, entities, fields }: FieldQuery, today: string, rows: number): number =>
  asOf < today ? rows + Math.ceil((entities.length * fields.length) / FOUND_AS_ONE) : rows

/** Generous bytes of a value and of a column, alone and with what is said about it, by format. */
const ROUGHLY: Readonly<Record<Format, { readonly value: readonly [number, number]; readonly column: readonly [number, number] }>> = {
  json: { value: [80, 400], column: [200, 200] },
  ndjson: { value: [60, 350], column: [0, 0] },
  csv: { value: [40, 100], column: [40, 200] },
  arrow: { value: [40, 120], column: [700, 3_000] },
  parquet: { value: [20, 70], column: [900, 3_500] },
}

/** A rough upper bound: what a value takes is known once it is found. */
function atMostBytes({ entities, fields, minimal }: FieldQuery, format: Format): number {
  const { value, column } = ROUGHLY[format]
  const at = minimal ? 0 : 1
  return 2_500 + fields.length * (column[at] + entities.length * value[at])
}

const releasesOf = ({ fields }: FieldQuery, releases: Releases): ReadonlySet<Release | null> =>
  new Set(fields.map(({ dataset }) => releaseOf(dataset, releases)))

function servedTag(query: FieldQuery, releases: Releases): string {
  const ids = [...releasesOf(query, releases)].map(release => release && `${release.manifest.dataset} ${release.id}`)
  return createHash('sha256').update(ids.join()).digest('base64url').slice(0, 8)
}

/** Verifies every release the query reads. */
function reportReadFailures(query: FieldQuery, releases: Releases): Promise<unknown> {
  const read = releasesOf(query, releases)
  return Promise.all([...read].map(release => release && releases.reportReadFailure(release)))
}
