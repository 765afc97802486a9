import { bucketOf, type Part, type Release, type Span } from '../releases/index.ts'
import type { BoundedColumns, Bounds } from './bounds.ts'

export const boundedColumns = ({ dataset: { columns, date }, manifest: { key } }: Release): BoundedColumns => ({
  key: key !== null && columns[key]?.type === 'text' ? key : null,
  date: date ?? null,
})

/**
 * Returns the files that may contain rows within the bounds.
 * @param maxRows number of needed rows, or null for all
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

/** Null bounds are unlimited. Null days are unknown, so they may be within the bounds. */
const reaches = ({ from, to }: Bounds, first: string | null, last: string | null): boolean =>
  (from === null || last === null || last >= from) && (to === null || first === null || first <= to)

const reachesSpan = (bounds: Bounds, [first, last]: Span): boolean => reaches(bounds, first, last)
