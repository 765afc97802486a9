import { type Dataset, type Format, pathOf } from '../../../catalog/index.ts'
import { type Calendar, freshnessState } from '../../calendar/index.ts'
import type { Clock, Grant } from '../../core/index.ts'
import type { Pool } from '../../engine/index.ts'
import type { Body } from '../../formats/index.ts'
import {
  type Answers,
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
} from '../../read/index.ts'
import type { Release, Releases } from '../../releases/index.ts'
import type { Columns } from '../../row-cache/index.ts'
import { type DryRun, dryRun } from './dry-run.ts'
import { type Call, type Meta, type MeterDeps, metered, uncharged } from './metering.ts'
import { type ReleaseFacts, releaseFacts } from './release-facts.ts'
import { retryAfterVerify } from './retry-after-verify.ts'
import { createRowWidths, type RowWidths } from './row-widths.ts'

/** What a dataset read depends on. */
export interface ReadDeps extends MeterDeps {
  readonly releases: Releases
  readonly pool: Pool
  readonly columns: Columns
  readonly answers: Answers
  readonly calendar: Calendar
  readonly clock: Clock
}

/** What a caller asks of a dataset. */
export interface ReadInput {
  readonly dataset: Dataset
  /** Parameters as text, checked here. */
  readonly params: ReadParams
  /** All parameters as one text, the cache key of the checked parameters; they are checked each time when absent. */
  readonly text?: string
  /** True if the caller already has the answer with that tag; it has none when absent. */
  readonly isKnown?: (etag: string) => boolean
  /** The format where the parameters name none: JSON when absent; null where the caller takes none there is. */
  readonly accepted?: Format | null
}

/** Facts about a read that are not in its body, or not only there. */
export interface ReadMeta extends Meta, ReleaseFacts {
  readonly format: Format
  /** Strong tag of the answer, quoted. */
  readonly etag: string
  /** Most rows the caller's plan takes in one answer. */
  readonly rowLimit: number
  /** The plan's row limit left out rows that the requested limit would have had; false until the rows were read. */
  readonly limited: boolean
  /** Why the answer has no rows; null where it has some, and until that was found out. */
  readonly empty: EmptyReason | null
  /** Parameters of the next page, pinned to this release, as a query string; null on the last page. */
  readonly next: string | null
}

/** A read’s body and what is known of it. */
export interface ReadAnswer {
  readonly meta: ReadMeta
  /**
   * In the format asked for, JSON in the dataset's envelope; null when the caller already has this answer or wants headers only, which costs nothing. A
   * stream holds the engine's rows until it was taken to its end or cancelled, which it is at the latest once the answer has left.
   */
  readonly body: Body | null
}

/**
 * Reads rows of one dataset: choose the release → plan → begin the metering → make the answer → settle.
 *
 * @throws Refusal plan_required, invalid_parameter, unbounded_read, format_not_supported, unknown_id, release_retired, dataset_building, data_unavailable,
 * integrity, credits_exhausted, concurrency_limited, overloaded, query_timeout
 */
export type ReadDataset = (caller: Grant, input: ReadInput, call: Call) => Promise<ReadAnswer>

/** What a read would answer and cost. @throws Refusal concurrency_limited, overloaded, query_timeout, data_unavailable, dataset_building, integrity */
export type DryReadDataset = (caller: Grant, input: ReadInput) => Promise<DryRun>

export function createDryReadDataset(deps: ReadDeps): DryReadDataset {
  const { gate, releases, pool, columns, calendar, clock } = deps
  const contextOf = (dataset: Dataset, release: Release | null) => ({
    requestId: `req_${'0'.repeat(26)}`,
    endpoint: pathOf(dataset),
    freshness: freshnessState({ dataset, release }, clock(), calendar.isClosed),
    isClosed: calendar.isClosed,
  })
  return (caller, { dataset, params, accepted }) =>
    dryRun(deps, caller, dataset, async () => {
      const release = await chooseRelease(dataset, releases, params['release'])
      const plan = planRead(dataset, release, params, limitsOf(caller), accepted)
      const turn = await gate.takeTurn(caller)
      try {
        const { empty, ...estimate } = await estimateRead(plan, { pool, columns }, contextOf(dataset, release))
        return { ...estimate, format: plan.format, release: release?.id ?? null, free: isFree(empty) }
      } finally {
        turn.end()
      }
    })
}

/**
 * How many rows a question has in all, whatever the plan takes in one answer; null where they are too many to count, or to be numbered. Costs
 * nothing: it belongs beside an answer that was charged.
 *
 * @throws Refusal invalid_parameter, concurrency_limited, overloaded, query_timeout, data_unavailable, release_retired
 */
export type CountRows = (caller: Grant, input: Pick<ReadInput, 'dataset' | 'params'>) => Promise<number | null>

export function createCountRows({ gate, releases, pool, columns, calendar }: ReadDeps): CountRows {
  return async (caller, { dataset, params }) => {
    const release = await chooseRelease(dataset, releases, params['release'])
    const plan = planRead(dataset, release, { ...params, limit: String(MOST_ROWS) }, { ...limitsOf(caller), rowLimit: MOST_ROWS })
    const turn = await gate.takeTurn(caller)
    try {
      const { rows, isExact } = await countRows(plan, { pool, columns }, { isClosed: calendar.isClosed })
      return isExact && rows < MOST_ROWS ? rows : null
    } finally {
      turn.end()
    }
  }
}

export function createReadDataset(deps: ReadDeps): ReadDataset {
  const { gate, releases, answers, calendar, clock } = deps
  const preparedReads = createPreparedReads()
  const widths = createRowWidths()
  return (caller, { dataset, params, accepted, text, isKnown }, call) =>
    metered(deps, caller, dataset, call, async meter => {
      const { requestId, time, planOnly } = call
      let release: Release | null = null
      const read = async (): Promise<ReadAnswer> => {
        release = await chooseRelease(dataset, releases, params['release'])
        const prepared = preparedReads.prepare(dataset, params, accepted, text)
        const plan = prepared.planFor(release, limitsOf(caller))
        const freshness = freshnessState({ dataset, release }, clock(), calendar.isClosed)
        const etag = prepared.tagOf(plan, freshness, calendar)
        const facts = describe(plan, etag)
        time.lap('plan')
        if (planOnly || isKnown?.(etag)) {
          const charge = uncharged(gate, caller)
          return { meta: { ...facts, rows: 0, limited: false, empty: null, next: null, charge, timings: time.laps }, body: null }
        }
        await meter.begin({ bytes: widths.foresee(plan), mayBeFree: mayBeUnbuilt(plan) })
        const context = { requestId, endpoint: pathOf(dataset), freshness, isClosed: calendar.isClosed }
        const made = await answers.getOrMake(etag, requestId, () => makeAnswer(plan, context, { ...deps, widths }, call))
        if (!('fetch' in time.laps)) time.lap('fetch')
        const { body, rows, limited, empty, more, bytes } = made
        const charge = await meter.settle({ rows, bytes, free: isFree(empty), release: release?.id ?? null, format: plan.format })
        const next = more ? prepared.nextOf(plan) : null
        return { meta: { ...facts, rows, limited, empty, next, charge, timings: time.laps }, body }
      }
      return retryAfterVerify(read, async () => {
        meter.release()
        if (release) await releases.reportReadFailure(release)
      })
    })
}

/** The release to read: the pinned one, the served one, or null for a planned dataset that has no source yet. */
export async function chooseRelease(dataset: Dataset, releases: Releases, pinned: ReadParams[string]): Promise<Release | null> {
  if (typeof pinned === 'string') return releases.pinned(dataset, pinned)
  return dataset.planned ? releases.served(dataset) : releases.current(dataset)
}

/** Loads the page of a plan and begins its body. Resolves once a whole body is made, or the first pieces of a streamed one are. */
async function makeAnswer(
  plan: ReadPlan,
  context: ReadContext,
  { pool, columns, log, widths }: Pick<ReadDeps, 'pool' | 'columns' | 'log'> & { readonly widths: RowWidths },
  { requestId, time, whenLeft }: Call,
): Promise<MadeAnswer<Body>> {
  const { dataset } = plan
  const { promise: made, resolve, reject } = Promise.withResolvers<MadeAnswer<Body>>()
  const encode = async (page: FetchedPage): Promise<void> => {
    time.lap('fetch')
    const answer = answerOf(plan, page, context)
    const body = await encodeBody(answer, page)
    time.lap('encode')
    const { limited, empty } = answer
    const { rows, resultBytes, more } = page
    if (Buffer.isBuffer(body)) {
      widths.learn(dataset, rows, Math.max(resultBytes, body.length))
      return resolve({ body, bytes: body.length, rows, limited, empty, more })
    }
    widths.learn(dataset, rows, resultBytes)
    resolve({ body, bytes: Math.max(estimatedBytes(plan, rows), resultBytes), rows, limited, empty, more })
    // The engine keeps the rows for as long as this function runs, and the stream reads them.
    whenLeft?.(body.cancel)
    const failure = await body.ended
    if (failure !== null) log('failed', { request_id: requestId, dataset: dataset.slug, error: String(failure) })
  }
  fetchPage(plan, { pool, columns }, encode).catch(reject)
  return made
}

/** What is not built costs nothing. */
export const isFree = (empty: EmptyReason | null): boolean => empty === 'not_built'

/** True where an answer without rows would say that what was asked for is not built. */
export const mayBeUnbuilt = ({ dataset, release }: ReadPlan): boolean => release === null || dataset.empty === 'not_built'

export const limitsOf = ({ plan, rowLimit, accountId }: Grant): ReadLimits => ({ plan, rowLimit, queueKey: accountId })

/** Facts that are known before the rows are read. */
const describe = (plan: ReadPlan, etag: string) => ({
  ...releaseFacts(plan.dataset, plan.release),
  format: plan.format,
  etag,
  rowLimit: plan.limits.rowLimit,
})
