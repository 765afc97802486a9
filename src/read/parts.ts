import { type MonthPart, type Part, type PartFile, type PastRelease, partsOfKeys } from '../releases/index.ts'
import type { BoundFilter } from './filters.ts'

/**
 * Returns the paths of the files to read. Some datasets are stored twice, by key and by month. The
 * cheaper files are chosen.
 */
export function chooseParts(release: PastRelease, filters: readonly BoundFilter[]): readonly string[] {
  const parts = partsMatching(release, filters)
  const months = monthsMatching(release, filters)
  const chosen: readonly PartFile[] = months && costOf(months) < costOf(parts) ? months : parts
  return chosen.map(release.pathOf)
}

/** Returns an upper bound: the total rows of the files to open. */
export function maxMatchingRows(release: PastRelease, filters: readonly BoundFilter[]): number {
  const parts = partsMatching(release, filters)
  const months = monthsMatching(release, filters)
  return Math.min(...[parts, ...(months ? [months] : [])].map(rowsOf))
}

const rowsOf = (parts: readonly Pick<Part, 'rows'>[]): number => parts.reduce((sum, { rows }) => sum + rows, 0)

/** Opening a file takes as long as scanning this many rows. */
const ROWS_PER_OPENING = 4_000

const costOf = (parts: readonly Pick<Part, 'rows'>[]): number => parts.reduce((sum, { rows }) => sum + rows + ROWS_PER_OPENING, 0)

/**
 * Undefined if a filter selects keys, because the files that are sorted by key are faster for such
 * a read.
 */
function monthsMatching({ manifest, dataset }: PastRelease, filters: readonly BoundFilter[]): readonly MonthPart[] | undefined {
  if (!manifest.months || allowedKeys(manifest, filters)) return undefined
  const [from, to] = dateBounds(filters, dataset.date)
  return manifest.months.filter(part => mayHoldDate(part, from, to))
}

/**
 * Returns the files by key that may contain matching rows. Files with the same keys are in the
 * order of the manifest.
 */
export function partsMatching({ manifest, dataset }: PastRelease, filters: readonly BoundFilter[]): readonly Part[] {
  const keys = allowedKeys(manifest, filters)
  const [from, to] = dateBounds(filters, dataset.date)
  return (keys ? partsOfKeys(manifest, keys) : manifest.parts).filter(part => mayHoldKey(part, keys) && mayHoldDate(part, from, to))
}

/** Undefined if no filter selects keys. */
const allowedKeys = ({ key }: PastRelease['manifest'], filters: readonly BoundFilter[]): readonly string[] | undefined =>
  filters.find(({ column, op }) => column === key && (op === 'eq' || op === 'in'))?.values

function mayHoldKey(part: Part, keys: readonly string[] | undefined): boolean {
  if (!keys) return true
  return keys.some(key => part.first_key === null || part.last_key === null || (key >= part.first_key && key <= part.last_key))
}

const mayHoldDate = (
  { first_date, last_date }: Pick<Part, 'first_date' | 'last_date'>,
  from: string | undefined,
  to: string | undefined,
): boolean =>
  (from === undefined || last_date === null || last_date >= from) && (to === undefined || first_date === null || first_date <= to)

/** Both days are inclusive. */
export function dateBounds(
  filters: readonly BoundFilter[],
  date: string | undefined,
): readonly [from: string | undefined, to: string | undefined] {
  const dateFilters = filters.filter(({ column, also }) => column === date && also === undefined)
  const ends = (...ops: string[]) =>
    dateFilters
      .filter(({ op }) => ops.includes(op))
      .map(({ values }) => values[0]!)
      .sort()
  return [ends('from', 'eq').at(-1), ends('to', 'eq')[0]]
}
