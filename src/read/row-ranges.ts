import { defaultOrder, isNewestFirst } from '../../catalog/index.ts'
import { type Part, type Release, type RowRun, rowRunOf } from '../releases/index.ts'
import { isReversed } from './order.ts'
import { partsMatching } from './parts.ts'
import type { ReadPlan } from './plan.ts'

/** Row numbers that include all matching rows of the files. */
export interface RowRange {
  readonly parts: readonly string[]
  /** Undefined to read the files completely. */
  readonly rows: RowRun | undefined
}

/** Up to this number of rows, reading all rows is cheaper than finding row numbers. */
const FEW_ROWS = 16_384

/**
 * Files are sorted by key, then by day, so the rows of a key are consecutive.
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
 * Removes rows of a key that cannot be on the page. Removes nothing if the plan has other filters.
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
