import { defaultOrder, isNewestFirst } from '../../catalog/index.ts'
import { type Part, type Release, type RowRun, rowRunOf } from '../releases/index.ts'
import { isReversed } from './order.ts'
import { partsMatching } from './parts.ts'
import type { ReadPlan } from './plan.ts'

/** A range of row numbers that contains all matching rows of some files. */
export interface RowRange {
  readonly parts: readonly string[]
  /** Undefined if the files must be read completely. */
  readonly rows: RowRun | undefined
}

/**
 * Maximum number of rows to read completely. Finding the row numbers of a key costs as much as
 * reading this many rows.
 */
const FEW_ROWS = 16_384

/**
 * Returns the row numbers of the requested keys. Files are sorted by key, then by day, so the rows
 * of a key are consecutive.
 * @returns undefined if every file must be read completely
 */
export function rowRangesOf(plan: ReadPlan): readonly RowRange[] | undefined {
  const { dataset, release, filters } = plan
  const keys = filters.find(({ column, also, op }) => column === dataset.key && also === undefined && (op === 'eq' || op === 'in'))?.values
  if (!keys || !release || release.manifest.key !== dataset.key) return undefined
  const parts = partsMatching(release, filters)
  if (!parts.some(({ rows }) => rows > FEW_ROWS)) return undefined
  const trim = reachableRows(plan)
  const roles = [...Map.groupBy(parts, ({ role }) => role).values()]
  const runsByRole = roles.map(ofRole => ({
    ofRole,
    runs: ofRole.some(({ rows }) => rows > FEW_ROWS) ? runsIn(release, ofRole, keys) : undefined,
  }))
  if (runsByRole.every(({ runs }) => runs === undefined)) return undefined
  const ranges = runsByRole.filter(({ runs }) => runs?.length !== 0)
  if (ranges.length === 0) return undefined
  return ranges.map(({ ofRole, runs }) => ({ parts: ofRole.map(release.pathOf), rows: runs && enclosing(runs.map(trim)) }))
}

/** Undefined if the row numbers of any key are unknown. */
function runsIn(release: Release, parts: readonly Part[], keys: readonly string[]): readonly RowRun[] | undefined {
  const runs: RowRun[] = []
  for (const part of parts) {
    for (const key of keys) {
      const run = rowRunOf(release, part, key)
      if (run === undefined) return undefined
      if (run !== null) runs.push(run)
    }
  }
  return runs
}

const enclosing = (runs: readonly RowRun[]): RowRun => ({
  first: Math.min(...runs.map(({ first }) => first)),
  last: Math.max(...runs.map(({ last }) => last)),
})

/**
 * Returns a function that shortens the rows of one key to the rows that can be on the page. Filters
 * on other columns prevent this, because they may exclude some of the rows.
 */
function reachableRows({ dataset, filters, order, offset, limit }: ReadPlan): (run: RowRun) => RowRun {
  const natural = defaultOrder(dataset)
  const reversed = isReversed(order, natural)
  if (reversed === undefined || !isNewestFirst(dataset)) return run => run
  const limitingOp = reversed ? 'to' : 'from'
  const hasOtherFilters = filters.some(
    ({ column, also, op }) => column !== dataset.key && !(column === dataset.date && also === undefined && op === limitingOp),
  )
  if (hasOtherFilters) return run => run
  const wanted = offset + limit + 1
  return reversed
    ? ({ first, last }) => ({ first, last: Math.min(last, first + wanted - 1) })
    : ({ first, last }) => ({ first: Math.max(first, last - wanted + 1), last })
}
