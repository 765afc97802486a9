import type { Body } from '../formats/index.ts'
import { type EmptyReason, emptyReason } from './empty.ts'
import { maxMatchingRows } from './parts.ts'
import type { ReadPlan } from './plan.ts'
import { answerOf, encodeBody, fetchPage, type PageSources, type ReadContext } from './read.ts'

export interface ReadEstimate {
  /** An upper bound if `isExact` is false. */
  readonly rows: number
  readonly isExact: boolean
  /** True if the plan's row limit would omit rows. False if unknown. */
  readonly limited: boolean
  /** Approximate size before compression, in bytes. */
  readonly bytes: number
  /** Null if the answer may have rows. */
  readonly empty: EmptyReason | null
}

/** Above this number of rows, the estimate is an upper bound. */
const MOST_COUNTED = 100_000

export async function estimateRead(plan: ReadPlan, sources: PageSources, context: ReadContext): Promise<ReadEstimate> {
  const counted = await countRows(plan, sources, context)
  return { ...counted, bytes: await bytesOf(plan, counted.rows, sources, context) }
}

/** Runs the read if few rows can match. Otherwise adds up the row counts of the files. */
export async function countRows(
  plan: ReadPlan,
  sources: PageSources,
  { isClosed }: Pick<ReadContext, 'isClosed'>,
): Promise<Omit<ReadEstimate, 'bytes'>> {
  const { release, filters, offset, limit } = plan
  const mostRows = release && !plan.unknown?.isAll && plan.parts().length > 0 ? maxMatchingRows(release, filters) : 0
  const isUnfiltered = filters.length === 0
  if (isUnfiltered || mostRows > MOST_COUNTED) {
    const remaining = Math.max(0, mostRows - offset)
    const rows = Math.min(remaining, limit)
    return {
      rows,
      isExact: isUnfiltered,
      limited: isUnfiltered && plan.capped && remaining > limit,
      empty: isUnfiltered && rows === 0 ? emptyReason(plan, mostRows > 0, isClosed) : null,
    }
  }
  return fetchPage({ ...plan, columns: plan.columns.slice(0, 1) }, sources, async ({ rows, more, pastTheEnd }) => ({
    rows,
    isExact: true,
    limited: plan.capped && more,
    empty: rows === 0 ? emptyReason(plan, pastTheEnd, isClosed) : null,
  }))
}

/** A larger answer is extrapolated from this many rows. */
const SAMPLE_ROWS = 2_000

async function bytesOf(plan: ReadPlan, rows: number, sources: PageSources, context: ReadContext): Promise<number> {
  const first = (limit: number): Promise<number> =>
    fetchPage({ ...plan, limit }, sources, async page => sizeOf(await encodeBody(answerOf(plan, page, context), page)))
  if (rows <= SAMPLE_ROWS) return first(Math.max(1, rows))
  const half = await first(SAMPLE_ROWS / 2)
  const all = await first(SAMPLE_ROWS)
  return Math.round(all + ((all - half) / (SAMPLE_ROWS / 2)) * (rows - SAMPLE_ROWS))
}

async function sizeOf(body: Body): Promise<number> {
  if (Buffer.isBuffer(body)) return body.length
  let bytes = 0
  for await (const chunk of body) bytes += chunk.length
  return bytes
}
