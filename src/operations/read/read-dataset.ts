import { type Dataset, type Format, pathOf } from '../../../catalog/index.ts'
import { type Calendar, freshnessState } from '../../calendar/index.ts'
import type { Clock, Grant, Stopwatch } from '../../core/index.ts'
import type { Pool } from '../../engine/index.ts'
import type { Body } from '../../formats/index.ts'
import {
  type Answers,
  type AsOf,
  answerOf,
  countRows,
  createPreparedReads,
  type EmptyReason,
  encodeBody,
  estimatedBytes,
  estimateRead,
  type FetchedPage,
  fetchPage,
  type MadeAnswer,
  MOST_ROWS,
  planRead,
  type ReadContext,
  type ReadLimits,
  type ReadParams,
  type ReadPlan,
  readWarnings,
  type UnknownSymbol,
} from '../../read/index.ts'
import type { Release, Releases } from '../../releases/index.ts'
import type { Columns } from '../../row-cache/index.ts'
import type { Search } from '../../search/index.ts'
import { chooseRelease } from './choose-release.ts'
import { type DryRun, dryRun } from './dry-run.ts'
import { type Call, type Charge, type Meta, type MeterDeps, metered, uncharged } from './metering.ts'
import { type ReleaseFacts, releaseFacts } from './release-facts.ts'
import { retryAfterVerify } from './retry-after-verify.ts'
import { createRowWidths, type RowWidths } from './row-widths.ts'

export interface ReadDeps extends MeterDeps {
  readonly releases: Releases
  readonly pool: Pool
  readonly columns: Columns
  readonly answers: Answers
  readonly calendar: Calendar
  readonly search: Pick<Search, 'symbols'>
  readonly clock: Clock
}

export interface ReadInput {
  readonly dataset: Dataset
  /** Not validated. */
  readonly params: ReadParams
  /** Key for caching the validated parameters. If absent, the parameters are not cached. */
  readonly text?: string
  /** True if the caller already has the answer with this entity tag. */
  readonly isKnown?: (etag: string) => boolean
  /**
   * Format for requests without a format parameter. Null if the caller accepts no supported format.
   * Default: JSON.
   */
  readonly accepted?: Format | null
}

export interface ReadMeta extends Meta, ReleaseFacts {
  readonly format: Format
  /** Strong entity tag, with quotes. */
  readonly etag: string
  readonly rowLimit: number
  /** True if the plan's row limit omitted rows. False if no rows were read. */
  readonly limited: boolean
  /** Default limit that was applied. Null if the caller sent a limit. */
  readonly defaultLimit: number | null
  /** True if the default limit omitted rows. */
  readonly truncated: boolean
  readonly readWarnings: readonly string[]
  /**
   * Number of all matching rows. Null if there are more pages, if the read selects a single row, or
   * if no rows were read.
   */
  readonly total: number | null
  /** Reason for an answer without rows. Null if there are rows, or if no rows were read. */
  readonly empty: EmptyReason | null
  /** Requested tickers that no served dataset contains, with suggestions. At most 10. */
  readonly unknown: readonly UnknownSymbol[]
  /** Query string of the next page. Null on the last page. */
  readonly next: string | null
  /** Null if the caller did not send `as_of`. */
  readonly asOf: AsOf | null
}

export interface ReadAnswer {
  readonly meta: ReadMeta
  /**
   * Null if the caller already has the answer or requested only headers. Such a call is free. A
   * stream must end or be cancelled to free its memory.
   */
  readonly body: Body | null
}

/**
 * Reads rows of one dataset and charges the answer.
 * @throws Refusal plan_required, invalid_parameter, unbounded_read, format_not_supported,
 * unknown_id, release_retired, dataset_building, data_unavailable, integrity, credits_exhausted,
 * concurrency_limited, overloaded, query_timeout
 */
export type ReadDataset = (caller: Grant, input: ReadInput, call: Call) => Promise<ReadAnswer>

/**
 * @throws Refusal concurrency_limited, overloaded, query_timeout, data_unavailable,
 * dataset_building, integrity
 */
export type DryReadDataset = (caller: Grant, input: ReadInput) => Promise<DryRun>

export function createDryReadDataset(deps: ReadDeps): DryReadDataset {
  const { gate, pool, columns, calendar, search, clock } = deps
  const contextOf = (dataset: Dataset, release: Release | null) => ({
    requestId: `req_${'0'.repeat(26)}`,
    endpoint: pathOf(dataset),
    freshness: freshnessState({ dataset, release }, clock(), calendar.isClosed),
    isClosed: calendar.isClosed,
  })
  return (caller, { dataset, params, accepted }) =>
    dryRun(deps, caller, dataset, async () => {
      const release = await chooseRelease(deps, dataset, params)
      const plan = planRead(dataset, release, params, limitsOf(caller), accepted, search.symbols())
      const slot = await gate.acquireSlot(caller)
      try {
        const { empty, ...estimate } = await estimateRead(plan, { pool, columns }, contextOf(dataset, release))
        return { ...estimate, format: plan.format, release: release?.id ?? null, free: isFree(empty) }
      } finally {
        slot.end()
      }
    })
}

/**
 * Counts all rows of a read, even above the plan's row limit. Null if there are too many. Free,
 * because the count is part of a charged answer.
 * @throws Refusal invalid_parameter, concurrency_limited, overloaded, query_timeout,
 * data_unavailable, release_retired
 */
export type CountRows = (caller: Grant, input: Pick<ReadInput, 'dataset' | 'params'>) => Promise<number | null>

export function createCountRows(deps: ReadDeps): CountRows {
  const { gate, pool, columns, calendar } = deps
  return async (caller, { dataset, params }) => {
    const release = await chooseRelease(deps, dataset, params)
    const plan = planRead(dataset, release, { ...params, limit: String(MOST_ROWS) }, { ...limitsOf(caller), rowLimit: MOST_ROWS })
    const slot = await gate.acquireSlot(caller)
    try {
      const { rows, isExact } = await countRows(plan, { pool, columns }, { isClosed: calendar.isClosed })
      return isExact && rows < MOST_ROWS ? rows : null
    } finally {
      slot.end()
    }
  }
}

export function createReadDataset(deps: ReadDeps): ReadDataset {
  const { gate, releases, answers, calendar, search, clock } = deps
  const preparedReads = createPreparedReads()
  const widths = createRowWidths()
  return (caller, { dataset, params, accepted, text, isKnown }, call) =>
    metered(deps, caller, dataset, call, async meter => {
      const { requestId, time, planOnly } = call
      let release: Release | null = null
      const read = async (): Promise<ReadAnswer> => {
        release = await chooseRelease(deps, dataset, params)
        const prepared = preparedReads.prepare(dataset, params, accepted, text)
        const plan = prepared.planFor(release, limitsOf(caller), search.symbols())
        const freshness = freshnessState({ dataset, release }, clock(), calendar.isClosed)
        const etag = prepared.tagOf(plan, freshness, calendar)
        time.lap('plan')
        if (planOnly || isKnown?.(etag)) return { meta: metaOf(plan, etag, NO_ROWS, uncharged(gate, caller), time), body: null }
        await meter.begin({ bytes: widths.estimate(plan), mayBeFree: mayBeFree(plan) })
        const context = { requestId, endpoint: pathOf(dataset), freshness, isClosed: calendar.isClosed }
        const answer = await answers.getOrMake(etag, requestId, () => makeAnswer(plan, context, { ...deps, widths }, call))
        if (!('fetch' in time.laps)) time.lap('fetch')
        const { body, rows, limited, empty, more, bytes } = answer
        const charge = await meter.settle({ rows, bytes, free: isFree(empty), release: release?.id ?? null, format: plan.format })
        const page = {
          rows,
          limited,
          empty,
          truncated: plan.isDefaultLimit && more,
          total: more || plan.single || (rows === 0 && plan.offset > 0) ? null : plan.offset + rows,
          next: more ? prepared.nextOf(plan, clock()) : null,
        }
        return { meta: metaOf(plan, etag, page, charge, time), body }
      }
      return retryAfterVerify(read, async () => {
        meter.release()
        if (release) await releases.reportReadFailure(release)
      })
    })
}

/** Resolves when a short body is complete, or when a stream has its first pieces. */
async function makeAnswer(
  plan: ReadPlan,
  context: ReadContext,
  { pool, columns, log, widths }: Pick<ReadDeps, 'pool' | 'columns' | 'log'> & { readonly widths: RowWidths },
  { requestId, time, onSent }: Call,
): Promise<MadeAnswer<Body>> {
  const { dataset } = plan
  const { promise: result, resolve, reject } = Promise.withResolvers<MadeAnswer<Body>>()
  const encode = async (page: FetchedPage): Promise<void> => {
    time.lap('fetch')
    const answer = answerOf(plan, page, context)
    const body = await encodeBody(answer, page)
    time.lap('encode')
    const { limited, empty } = answer
    const { rows, resultBytes, fromMemory, more } = page
    if (Buffer.isBuffer(body)) {
      widths.learn(dataset, rows, Math.max(resultBytes, body.length))
      return resolve({ body, bytes: body.length, rows, fromMemory, limited, empty, more })
    }
    widths.learn(dataset, rows, resultBytes)
    resolve({ body, bytes: Math.max(estimatedBytes(plan, rows), resultBytes), rows, fromMemory, limited, empty, more })
    // The engine frees the rows when this function returns.
    onSent?.(body.cancel)
    const failure = await body.ended
    if (failure !== null) log('failed', { request_id: requestId, dataset: dataset.slug, error: String(failure) })
  }
  fetchPage(plan, { pool, columns }, encode).catch(reject)
  return result
}

/** An answer without rows is free if the dataset has no data or all tickers are unknown. */
export const isFree = (empty: EmptyReason | null): boolean => empty === 'not_built' || empty === 'unknown_symbol'

export const mayBeFree = ({ dataset, release, unknown }: ReadPlan): boolean =>
  release === null || dataset.empty === 'not_built' || unknown?.isAll === true

export const limitsOf = ({ plan, limits, accountId }: Grant): ReadLimits => ({ plan, rowLimit: limits.rowLimit, queueKey: accountId })

type PageFacts = Pick<ReadMeta, 'rows' | 'limited' | 'truncated' | 'total' | 'empty' | 'next'>

const NO_ROWS: PageFacts = { rows: 0, limited: false, truncated: false, total: null, empty: null, next: null }

function metaOf(
  plan: ReadPlan,
  etag: string,
  { rows, limited, truncated, total, empty, next }: PageFacts,
  charge: Charge,
  { laps }: Stopwatch,
): ReadMeta {
  const { dataset, release, lastModified, gaps, warnings } = releaseFacts(plan.dataset, plan.release)
  return {
    dataset,
    release,
    lastModified,
    gaps,
    warnings,
    format: plan.format,
    etag,
    rowLimit: plan.limits.rowLimit,
    defaultLimit: plan.isDefaultLimit ? plan.limit : null,
    unknown: plan.unknown?.described() ?? [],
    readWarnings: readWarnings({ plan, truncated }),
    rows,
    limited,
    truncated,
    total,
    empty,
    next,
    asOf: plan.asOf,
    charge,
    timings: laps,
  }
}
