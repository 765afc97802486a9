import { createHash } from 'node:crypto'
import { type Format, meets, SQL, SQL_BUDGETS, UPGRADE_URL } from '../../../catalog/index.ts'
import { type Clock, type Fault, type Grant, inputRefusal, ofDataset, Refusal, type Words } from '../../core/index.ts'
import type { BoundValues } from '../../engine/index.ts'
import type { Body } from '../../formats/index.ts'
import { type Answers, type AsOf, clip, parseAsOf } from '../../read/index.ts'
import { gapLabels, type Releases, warningLabels } from '../../releases/index.ts'
import { type AnswerColumn, type CheckedQuery, creditsOf, planScan, type Scan, type SqlEngine, type SqlRows } from '../../sql/index.ts'
import { chooseRelease } from './choose-release.ts'
import { type DryRun, dryRun } from './dry-run.ts'
import { type Call, type Meta, type MeterDeps, metered, uncharged } from './metering.ts'
import { retryAfterVerify } from './retry-after-verify.ts'

export interface SqlDeps extends MeterDeps {
  readonly releases: Releases
  readonly answers: Answers
  readonly clock: Clock
  /** Null if SQL is disabled. */
  readonly sql: SqlEngine | null
  readonly config: { readonly sql: { readonly memoryMb: number } }
}

export interface SqlInput {
  readonly text: string
  readonly values: BoundValues
  /** Null for the plan's row limit. */
  readonly limit: number | null
  readonly offset: number
  readonly asOf: string | null
  /** Release ids by slug or view name. */
  readonly pins: Readonly<Record<string, string>>
  readonly format: Format
  readonly bom: boolean
  /** First element of `loc` in faults. */
  readonly from: 'query' | 'body' | 'arguments'
  /** True if the caller already has the answer with this entity tag. */
  readonly isKnown?: (etag: string) => boolean
}

export interface SqlMeta extends Meta {
  /** Strong entity tag, with quotes. */
  readonly etag: string
  /** Release ids by slug. */
  readonly releases: Readonly<Record<string, string>>
  readonly scannedRows: number
  readonly limit: number
  readonly offset: number
  /** False if no rows were read. */
  readonly more: boolean
  readonly gaps: readonly string[]
  readonly warnings: readonly string[]
}

export interface SqlAnswer {
  readonly meta: SqlMeta
  /** Null if the caller already has the answer or requested only headers. */
  readonly body: Body | null
}

/**
 * Runs an SQL query over the datasets of the caller's plan.
 * @throws Refusal reserved_endpoint if SQL is disabled, plan_required, invalid_parameter,
 * unknown_id, release_retired, dataset_building, data_unavailable, credits_exhausted,
 * concurrency_limited, overloaded, query_timeout
 */
export type RunSql = (caller: Grant, input: SqlInput, call: Call) => Promise<SqlAnswer>

/** Reads no rows. */
export type DryRunSql = (caller: Grant, input: SqlInput) => Promise<DryRun>

const ROW_BYTES = 100

export function createRunSql(deps: SqlDeps): RunSql {
  const { gate, answers } = deps
  return (caller, input, call) =>
    metered(deps, caller, SQL, call, async meter => {
      const { requestId, time, planOnly, isDisconnected, onSent } = call
      const sql = requireSql(deps)
      let scans: readonly Scan[] = []
      const run = async (): Promise<SqlAnswer> => {
        const plan = await planSql(deps, sql, caller, input)
        scans = plan.scans
        time.lap('plan')
        const { etag, credits, limit } = plan
        if (planOnly || input.isKnown?.(etag)) return { meta: metaOf(plan, input, NO_ROWS, uncharged(gate, caller), call), body: null }
        await meter.begin({ credits, bytes: limit * ROW_BYTES })
        const make = async () => {
          const onStart = (stop: () => void): void => {
            if (isDisconnected()) throw new Refusal('concurrency_limited', { retry_after: 1 })
            onSent?.(stop)
          }
          const frame = (rows: SqlRows) => envelopeOf(plan, input, rows, call, caller)
          const result = await sql.run(runOf(plan, input, caller, deps), frame, onStart)
          return { ...result, bytes: result.body.length, fromMemory: false, limited: false, empty: null }
        }
        const { body, rows, more, bytes } = await answers.getOrMake(etag, requestId, make)
        time.lap('fetch')
        const charge = await meter.settle({ rows, bytes, format: input.format })
        return { meta: metaOf(plan, input, { rows, more }, charge, call), body }
      }
      return retryAfterVerify(run, () => {
        meter.release()
        return Promise.all(scans.map(({ release }) => deps.releases.reportReadFailure(release)))
      })
    })
}

export function createDryRunSql(deps: SqlDeps): DryRunSql {
  return async (caller, input) => {
    const sql = requireSql(deps)
    return dryRun(deps, caller, SQL, async () => {
      const { credits, limit, scans } = await planSql(deps, sql, caller, input)
      return {
        format: input.format,
        release: scans.length === 1 ? scans[0]!.release.id : null,
        rows: limit,
        isExact: false,
        limited: false,
        bytes: limit * ROW_BYTES,
        credits,
        scan: { rows: scannedRows(scans), releases: releasesOf(scans), seconds: SQL_BUDGETS[caller.plan].seconds },
      }
    })
  }
}

/** @throws Refusal reserved_endpoint if SQL is disabled */
function requireSql({ sql }: SqlDeps): SqlEngine {
  if (sql) return sql
  throw new Refusal(
    'reserved_endpoint',
    {},
    {
      en: 'SQL is disabled on this service. The operator can enable it with SQL=on.',
      zh: '此服務未啟用 SQL。營運者可設定 SQL=on 以啟用。',
    },
  )
}

interface SqlPlan {
  readonly scans: readonly Scan[]
  readonly asOf: AsOf | null
  readonly credits: number
  readonly limit: number
  readonly etag: string
}

async function planSql(deps: SqlDeps, sql: SqlEngine, caller: Grant, input: SqlInput): Promise<SqlPlan> {
  const { from, text, values, pins } = input
  const query = await sql.check(text, caller.accountId, [from, 'q'])
  const names = [...new Set(query.uses.map(({ view }) => view))].sort()
  const views = names.map(name => sql.views.get(name)!)
  const [highest] = views
    .filter(({ access }) => !meets(caller.plan, access.plan))
    .toSorted((a, b) => (meets(a.access.plan, b.access.plan) ? -1 : 1))
  if (highest)
    throw new Refusal('plan_required', {
      ...ofDataset(highest.dataset),
      required_plan: highest.access.plan,
      current_plan: caller.plan,
      upgrade_url: UPGRADE_URL,
    })
  const asOf = input.asOf === null ? null : parseAsOf(input.asOf)
  const faults = [...valueFaults(query, input), ...pinFaults(sql, names, input, asOf)]
  if (faults.length > 0) throw inputRefusal(faults)
  const pinOf = new Map(Object.entries(pins).map(([name, id]) => [name.replaceAll('-', '_'), id]))
  const scans: Scan[] = []
  for (const view of views) {
    const pin = pinOf.get(view.name)
    const release = await chooseRelease(deps, view.dataset, {
      ...(pin !== undefined && { release: pin }),
      ...(input.asOf !== null && { as_of: input.asOf }),
    })
    if (!release) throw new Refusal('dataset_building', ofDataset(view.dataset))
    scans.push(planScan(view, release, query, values, asOf))
  }
  const limit = Math.min(input.limit ?? caller.limits.rowLimit, caller.limits.rowLimit)
  return { scans, asOf, credits: creditsOf(scans, caller.plan), limit, etag: tagOf(scans, limit, input, caller) }
}

function valueFaults({ parameters }: CheckedQuery, { values, from }: SqlInput): readonly Fault[] {
  const sent = Array.isArray(values) ? values.map((_, index) => String(index + 1)) : Object.keys(values)
  const missing = parameters.filter(name => !sent.includes(name))
  const extra = sent.filter(name => !parameters.includes(name))
  const loc = [from, 'params']
  return [
    ...missing.map((name): Fault => ({ loc, words: missingValue(name), type: 'missing' })),
    ...extra.map((name): Fault => ({ loc, words: extraValue(name), type: 'unknown_parameter' })),
  ].slice(0, 10)
}

function pinFaults(sql: SqlEngine, names: readonly string[], { pins, asOf: sent, from }: SqlInput, asOf: AsOf | null): readonly Fault[] {
  const loc = [from, 'releases']
  const pinned = Object.keys(pins).map(name => name.replaceAll('-', '_'))
  const unread = pinned.filter(name => !names.includes(name))
  return [
    ...(sent !== null && !asOf ? [{ loc: [from, 'as_of'], words: NOT_A_TIME, type: 'timestamp' } as const] : []),
    ...(sent !== null && pinned.length > 0 ? [{ loc: [from, 'as_of'], words: WITH_RELEASES, type: 'range' } as const] : []),
    ...unread.slice(0, 10).map((name): Fault => ({ loc, words: sql.views.has(name) ? unreadPin(name) : unknownPin(name), type: 'enum' })),
  ]
}

const scannedRows = (scans: readonly Scan[]): number => scans.reduce((sum, { rows }) => sum + rows, 0)
const releasesOf = (scans: readonly Scan[]): Readonly<Record<string, string>> =>
  Object.fromEntries(scans.map(({ view, release }) => [view.dataset.slug, release.id]))

function tagOf(
  scans: readonly Scan[],
  limit: number,
  { text, values, offset, asOf, format, bom }: SqlInput,
  { plan, limits }: Grant,
): string {
  const read = scans.map(({ view, release }) => [view.name, release.id, release.repairs, release.degraded])
  const all = JSON.stringify([read, text, values, limit, offset, asOf, format, bom, plan, limits.rowLimit])
  return `"${createHash('sha256').update(all).digest('base64url').slice(0, 27)}"`
}

const runOf = ({ scans, limit }: SqlPlan, input: SqlInput, { plan, accountId }: Grant, { config }: SqlDeps) => ({
  text: input.text,
  values: input.values,
  scans,
  limit,
  offset: input.offset,
  format: input.format,
  bom: input.bom,
  budget: { ms: SQL_BUDGETS[plan].seconds * 1_000, memoryMb: Math.min(SQL_BUDGETS[plan].memoryMb, config.sql.memoryMb) },
  account: accountId,
  where: [input.from, 'q'],
})

const NO_ROWS = { rows: 0, more: false }

function labelsOf(scans: readonly Scan[]) {
  const states = scans.map(({ view: { dataset }, release }) => ({ dataset, release }))
  return { gaps: [...new Set(states.flatMap(gapLabels))], warnings: [...new Set(states.flatMap(warningLabels))] }
}

function metaOf(
  plan: SqlPlan,
  { offset }: SqlInput,
  page: Pick<SqlRows, 'rows' | 'more'>,
  charge: Meta['charge'],
  { time }: Call,
): SqlMeta {
  const { scans, etag, limit } = plan
  return {
    etag,
    releases: releasesOf(scans),
    scannedRows: scannedRows(scans),
    limit,
    offset,
    more: page.more,
    rows: page.rows,
    ...labelsOf(scans),
    charge,
    timings: time.laps,
  }
}

function envelopeOf(
  { scans, credits, limit }: SqlPlan,
  { offset, asOf }: SqlInput,
  { rows, more, columns }: SqlRows,
  { requestId }: Call,
  { plan, isVisitor }: Grant,
): readonly [string, string] {
  const { gaps, warnings } = labelsOf(scans)
  const head = { api_version: 'v2', endpoint: '/v2/sql', request_id: requestId, plan_id: plan }
  const meta = {
    releases: releasesOf(scans),
    as_of: asOf,
    scanned_rows: scannedRows(scans),
    credits: isVisitor ? 0 : credits,
    limit,
    offset,
    next_offset: more ? offset + rows : null,
  }
  const rest = { data_count: rows, columns: columns.map(columnView), meta, known_gaps: gaps, warnings }
  return [`${JSON.stringify(head).slice(0, -1)},"data":[`, `],${JSON.stringify(rest).slice(1)}`]
}

const columnView = ({ name, type, sqlType }: AnswerColumn) => ({ name, type, sql_type: sqlType })

const missingValue = (name: string): Words => ({
  en: `params has no value for $${clip(name)}, which the query uses`,
  zh: `params 缺少查詢所用的 $${clip(name)}`,
})
const extraValue = (name: string): Words => ({
  en: `params has a value for $${clip(name)}, which the query does not use`,
  zh: `params 含有查詢未使用的 $${clip(name)}`,
})
const unreadPin = (name: string): Words => ({
  en: `releases names ${clip(name)}, which the query does not read`,
  zh: `releases 指定了查詢未讀取的 ${clip(name)}`,
})
const unknownPin = (name: string): Words => ({
  en: `releases names ${clip(name)}, which is not a dataset`,
  zh: `releases 指定的 ${clip(name)} 不是資料集`,
})
const NOT_A_TIME: Words = {
  en: 'as_of must be a day as YYYY-MM-DD, or an RFC 3339 time',
  zh: 'as_of 必須是日期 YYYY-MM-DD，或 RFC 3339 時間',
}
const WITH_RELEASES: Words = {
  en: 'as_of and releases both select releases: send one of them',
  zh: 'as_of 與 releases 都指定版本；請只傳送其中一個',
}
