import { defaultOrder, isNewestFirst } from '../../catalog/index.ts'
import { type Part, type Release, type RowRun, rowRunOf } from '../releases/index.ts'
import { partsThatHold } from './parts.ts'
import type { ReadPlan } from './plan.ts'
import { isReversed } from './reversed.ts'

/** Parts of one kind, and the row numbers between which every row lies that a plan may answer with. */
export interface RowRange {
  /** Paths. */
  readonly parts: readonly string[]
  /** Undefined where the parts are read from end to end. */
  readonly rows: RowRun | undefined
}

/** Parts up to this many rows, two row groups, are read as they are: to find rows in them costs as much. */
const FEW_ROWS = 16_384

/**
 * Where the rows lie of a plan that names its keys: parts are sorted by key, then by day, so a key's rows are neighbours, and its newest
 * are the last of them.
 *
 * @returns undefined where every part is read from end to end
 */
export function rowRangesOf(plan: ReadPlan): readonly RowRange[] | undefined {
  const { dataset, release, filters } = plan
  const keys = filters.find(({ column, also, op }) => column === dataset.key && also === undefined && (op === 'eq' || op === 'in'))?.values
  if (!keys || !release || release.manifest.key !== dataset.key) return undefined
  const parts = partsThatHold(release, filters)
  if (!parts.some(({ rows }) => rows > FEW_ROWS)) return undefined
  const ends = endsWanted(plan)
  const kinds = [...Map.groupBy(parts, ({ role }) => role).values()]
  const found = kinds.map(kind => ({ kind, runs: kind.some(({ rows }) => rows > FEW_ROWS) ? runsIn(release, kind, keys) : undefined }))
  if (found.every(({ runs }) => runs === undefined)) return undefined
  // A kind without a row of the keys is left out.
  const ranges = found.filter(({ runs }) => runs?.length !== 0)
  if (ranges.length === 0) return undefined
  return ranges.map(({ kind, runs }) => ({ parts: kind.map(release.pathOf), rows: runs && around(runs.map(ends)) }))
}

/** Runs of the keys in the parts; undefined where one cannot be told. */
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

const around = (runs: readonly RowRun[]): RowRun => ({
  first: Math.min(...runs.map(({ first }) => first)),
  last: Math.max(...runs.map(({ last }) => last)),
})

/**
 * Cuts a run down to the rows of a key that may be answered: of a series by day, the newest ones, or the oldest, as many as the page reaches.
 * Whatever else filters the rows may leave some of these out, so that others follow.
 */
function endsWanted({ dataset, filters, order, offset, limit }: ReadPlan): (run: RowRun) => RowRun {
  const natural = defaultOrder(dataset)
  const reversed = isReversed(order, natural)
  if (reversed === undefined || !isNewestFirst(dataset)) return run => run
  const bound = reversed ? 'to' : 'from'
  const others = filters.some(
    ({ column, also, op }) => column !== dataset.key && !(column === dataset.date && also === undefined && op === bound),
  )
  if (others) return run => run
  const most = offset + limit + 1
  return reversed
    ? ({ first, last }) => ({ first, last: Math.min(last, first + most - 1) })
    : ({ first, last }) => ({ first: Math.max(first, last - most + 1), last })
}
