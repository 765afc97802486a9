import { bucketOf, type Part, type Release, type Span } from '../releases/index.ts'
import type { BoundedColumns, Bounds } from './bounds.ts'

/**
 * Returns the key column and the date column of a release. Bounds on these columns can exclude
 * parts from a read.
 */
export const boundedColumns = ({ dataset: { columns, date }, manifest: { key } }: Release): BoundedColumns => ({
  key: key !== null && columns[key]?.type === 'text' ? key : null,
  date: date ?? null,
})

/**
 * Selects the parts that may contain rows within the bounds, in the order of the manifest. If the
 * bounds have keys, selects the parts whose bucket may contain a key. The delta part is selected
 * only if it has rows of a key on days within the bounds.
 *
 * @param maxRows number of rows that are needed, or null for all. Selection stops when the selected
 * parts have this number of rows.
 */
export function selectParts(release: Release, bounds: Bounds, maxRows: number | null = null): readonly Part[] {
  const { manifest, spans } = release
  const keys = bounds.keys === null ? null : [...bounds.keys]
  const keysIn = (role: Part['role']): readonly string[] =>
    keys?.filter(key => Object.hasOwn(spans[role], key) && reachesSpan(bounds, spans[role][key]!)) ?? []
  const buckets = new Set(keysIn('base').map(key => bucketOf(key, manifest.buckets)))
  const inDelta = keysIn('delta').length > 0
  const mayHoldKey = ({ role, bucket }: Part): boolean =>
    keys === null || (role === 'delta' ? inDelta : bucket === null || buckets.has(bucket))
  const selected: Part[] = []
  let rows = 0
  for (const part of manifest.parts) {
    if (maxRows !== null && rows >= maxRows) break
    if (!reaches(bounds, part.first_date, part.last_date) || !mayHoldKey(part)) continue
    selected.push(part)
    rows += part.rows
  }
  return selected
}

/**
 * True if the days from `first` to `last` may overlap the bounds. A null bound is unlimited. A null
 * day is unknown, so it may be within the bounds.
 */
const reaches = ({ from, to }: Bounds, first: string | null, last: string | null): boolean =>
  (from === null || last === null || last >= from) && (to === null || first === null || first <= to)

const reachesSpan = (bounds: Bounds, [first, last]: Span): boolean => reaches(bounds, first, last)
