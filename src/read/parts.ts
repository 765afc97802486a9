import { type MonthPart, type Part, type PartFile, type PastRelease, partsOfKeys } from '../releases/index.ts'
import type { BoundFilter } from './filters.ts'

/** Paths of the parts to read, in the clustering with less to read, according to the manifest; no folder is listed. */
export function chooseParts(release: PastRelease, filters: readonly BoundFilter[]): readonly string[] {
  const parts = partsThatHold(release, filters)
  const months = monthsThatHold(release, filters)
  const chosen: readonly PartFile[] = months && costOf(months) < costOf(parts) ? months : parts
  return chosen.map(release.pathOf)
}

/** At most so many rows match: those of the files in the clustering that has fewer of them. */
export function mostMatching(release: PastRelease, filters: readonly BoundFilter[]): number {
  const [parts, months] = [partsThatHold(release, filters), monthsThatHold(release, filters)]
  return Math.min(...[parts, ...(months ? [months] : [])].map(rowsOf))
}

const rowsOf = (parts: readonly Pick<Part, 'rows'>[]): number => parts.reduce((sum, { rows }) => sum + rows, 0)

/** Rows that are scanned in the time it takes to open a part. */
const ROWS_PER_OPENING = 4_000

const costOf = (parts: readonly Pick<Part, 'rows'>[]): number => parts.reduce((sum, { rows }) => sum + rows + ROWS_PER_OPENING, 0)

/** The months that may hold a matching row; undefined where keys are named, since their rows lie together in buckets. */
function monthsThatHold({ manifest, dataset }: PastRelease, filters: readonly BoundFilter[]): readonly MonthPart[] | undefined {
  if (!manifest.months || keysNamed(manifest, filters)) return undefined
  const [from, to] = dateBounds(filters, dataset.date)
  return manifest.months.filter(part => holdsDate(part, from, to))
}

/** The parts that may hold a matching row, in the manifest's order within each bucket. */
export function partsThatHold({ manifest, dataset }: PastRelease, filters: readonly BoundFilter[]): readonly Part[] {
  const keys = keysNamed(manifest, filters)
  const [from, to] = dateBounds(filters, dataset.date)
  return (keys ? partsOfKeys(manifest, keys) : manifest.parts).filter(part => holdsKey(part, keys) && holdsDate(part, from, to))
}

/** The keys that the filters allow; undefined where they allow any. */
const keysNamed = ({ key }: PastRelease['manifest'], filters: readonly BoundFilter[]): readonly string[] | undefined =>
  filters.find(({ column, op }) => column === key && (op === 'eq' || op === 'in'))?.values

function holdsKey(part: Part, keys: readonly string[] | undefined): boolean {
  if (!keys) return true
  return keys.some(key => part.first_key === null || part.last_key === null || (key >= part.first_key && key <= part.last_key))
}

const holdsDate = (
  { first_date, last_date }: Pick<Part, 'first_date' | 'last_date'>,
  from: string | undefined,
  to: string | undefined,
): boolean =>
  (from === undefined || last_date === null || last_date >= from) && (to === undefined || first_date === null || first_date <= to)

/** First and last day, inclusive, that the filters allow in the date column. */
export function dateBounds(
  filters: readonly BoundFilter[],
  date: string | undefined,
): readonly [from: string | undefined, to: string | undefined] {
  const on = filters.filter(({ column, also }) => column === date && also === undefined)
  const ends = (...ops: string[]) =>
    on
      .filter(({ op }) => ops.includes(op))
      .map(({ values }) => values[0]!)
      .sort()
  return [ends('from', 'eq').at(-1), ends('to', 'eq')[0]]
}
