import type { Body } from '../formats/index.ts'
import { type EmptyReason, emptyReason } from './empty.ts'
import { mostMatching } from './parts.ts'
import type { ReadPlan } from './plan.ts'
import { answerOf, encodeBody, fetchPage, type PageSources, type ReadContext } from './read.ts'

/** What a plan would answer, found out without making the answer. */
export interface ReadEstimate {
  /** Rows of the answer, or the most it may have. */
  readonly rows: number
  readonly isExact: boolean
  /** The plan's row limit would leave out rows; false where that is not known. */
  readonly limited: boolean
  /** Bytes of the body, about, before any compression of the transfer. */
  readonly bytes: number
  /** Why the answer would have no rows; null where it may have some. */
  readonly empty: EmptyReason | null
}

/** Rows are counted where there are at most so many to look at. */
const COUNTED = 100_000

/** Rows of a plan: counted where few have to be looked at, else no more than its parts hold. */
export async function estimateRead(plan: ReadPlan, sources: PageSources, context: ReadContext): Promise<ReadEstimate> {
  const counted = await countRows(plan, sources, context)
  return { ...counted, bytes: await bytesOf(plan, counted.rows, sources, context) }
}

/** The same without its bytes, for which rows would have to be made. */
export async function countRows(
  plan: ReadPlan,
  sources: PageSources,
  { isClosed }: Pick<ReadContext, 'isClosed'>,
): Promise<Omit<ReadEstimate, 'bytes'>> {
  const { release, filters, offset, limit } = plan
  const held = release && plan.parts.length > 0 ? mostMatching(release, filters) : 0
  const isAll = filters.length === 0
  if (isAll || held > COUNTED) {
    const left = Math.max(0, held - offset)
    const rows = Math.min(left, limit)
    return {
      rows,
      isExact: isAll,
      limited: isAll && plan.capped && left > limit,
      empty: isAll && rows === 0 ? emptyReason(plan, held > 0, isClosed) : null,
    }
  }
  return fetchPage({ ...plan, columns: plan.columns.slice(0, 1) }, sources, async ({ rows, more, pastTheEnd }) => ({
    rows,
    isExact: true,
    limited: plan.capped && more,
    empty: rows === 0 ? emptyReason(plan, pastTheEnd, isClosed) : null,
  }))
}

/** Rows whose bytes are counted; what further ones add is taken from the latter half of these. */
const SAMPLED = 2_000

/** Bytes of the body with so many rows: counted where these are few, else told from its first rows. */
async function bytesOf(plan: ReadPlan, rows: number, sources: PageSources, context: ReadContext): Promise<number> {
  const first = (limit: number): Promise<number> =>
    fetchPage({ ...plan, limit }, sources, async page => sizeOf(await encodeBody(answerOf(plan, page, context), page)))
  if (rows <= SAMPLED) return first(Math.max(1, rows))
  const [half, all] = [await first(SAMPLED / 2), await first(SAMPLED)]
  return Math.round(all + ((all - half) / (SAMPLED / 2)) * (rows - SAMPLED))
}

async function sizeOf(body: Body): Promise<number> {
  if (Buffer.isBuffer(body)) return body.length
  let bytes = 0
  for await (const piece of body) bytes += piece.length
  return bytes
}
