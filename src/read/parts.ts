import { type Part, type PastRelease, partsOfKeys } from '../releases/index.ts'
import type { BoundFilter } from './filters.ts'

/** Paths of the parts that may hold a matching row, according to the manifest; no folder is listed. */
export const chooseParts = (release: PastRelease, filters: readonly BoundFilter[]): readonly string[] =>
  partsThatHold(release, filters).map(release.pathOf)

/** The parts that may hold a matching row, in the manifest's order within each bucket. */
export function partsThatHold({ manifest, dataset }: PastRelease, filters: readonly BoundFilter[]): readonly Part[] {
  const { key } = manifest
  const keys = filters.find(({ column, op }) => column === key && (op === 'eq' || op === 'in'))?.values
  const [from, to] = dateBounds(filters, dataset.date)
  return (keys ? partsOfKeys(manifest, keys) : manifest.parts).filter(part => holdsKey(part, keys) && holdsDate(part, from, to))
}

function holdsKey(part: Part, keys: readonly string[] | undefined): boolean {
  if (!keys) return true
  return keys.some(key => part.first_key === null || part.last_key === null || (key >= part.first_key && key <= part.last_key))
}

const holdsDate = ({ first_date, last_date }: Part, from: string | undefined, to: string | undefined): boolean =>
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
