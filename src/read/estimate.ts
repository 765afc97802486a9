import type { Format } from '../../catalog/index.ts'
import type { IsClosed } from '../calendar/index.ts'
import { type EmptyReason, emptyReason } from './empty.ts'
import { partsThatHold } from './parts.ts'
import type { ReadPlan } from './plan.ts'
import { fetchPage, type PageSources } from './read.ts'

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
export async function estimateRead(plan: ReadPlan, sources: PageSources, isClosed: IsClosed): Promise<ReadEstimate> {
  const { release, filters, offset, limit } = plan
  const held = release && plan.parts.length > 0 ? partsThatHold(release, filters).reduce((sum, { rows }) => sum + rows, 0) : 0
  const isAll = filters.length === 0
  if (isAll || held > COUNTED) {
    const left = Math.max(0, held - offset)
    const rows = Math.min(left, limit)
    return {
      rows,
      isExact: isAll,
      limited: isAll && plan.capped && left > limit,
      bytes: bytesOf(plan, rows),
      empty: isAll && rows === 0 ? emptyReason(plan, held > 0, isClosed) : null,
    }
  }
  return fetchPage({ ...plan, columns: plan.columns.slice(0, 1) }, sources, async ({ rows, more, pastTheEnd }) => ({
    rows,
    isExact: true,
    limited: plan.capped && more,
    bytes: bytesOf(plan, rows),
    empty: rows === 0 ? emptyReason(plan, pastTheEnd, isClosed) : null,
  }))
}

/** Typical bytes of a cell, by its column's name. */
const CELL: Readonly<Record<Format, (name: string) => number>> = {
  json: name => name.length + 12,
  ndjson: name => name.length + 12,
  csv: () => 10,
  arrow: () => 10,
  parquet: () => 4,
}
/** Typical bytes of what comes with the rows, where anything does. */
const FRAME: Readonly<Record<Format, number>> = { json: 1_500, ndjson: 0, csv: 200, arrow: 4_000, parquet: 5_000 }

const bytesOf = ({ columns, format }: ReadPlan, rows: number): number =>
  FRAME[format] + rows * columns.reduce((sum, name) => sum + CELL[format](name), 0)
