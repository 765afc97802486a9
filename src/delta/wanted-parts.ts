import { bucketOf, type Part, type Release, type Span } from '../releases/index.ts'
import type { BoundedColumns, Bounds } from './bounds.ts'

/** Columns of a release that its parts are told apart by. */
export const boundedColumns = ({ dataset: { columns, date }, manifest: { key } }: Release): BoundedColumns => ({
  key: key !== null && columns[key]?.type === 'text' ? key : null,
  date: date ?? null,
})

/**
 * Parts that may hold rows within bounds, in the order of the manifest: of a key the part of its bucket and the delta, where the key has
 * rows on such days in them; of days those whose rows reach into them.
 *
 * @param most rows that are enough; null for all. Further parts are left out once there are as many
 */
export function wantedParts(release: Release, bounds: Bounds, most: number | null = null): readonly Part[] {
  const { manifest, spans } = release
  const keys = bounds.keys === null ? null : [...bounds.keys]
  const held = (role: Part['role']): readonly string[] =>
    keys?.filter(key => Object.hasOwn(spans[role], key) && reachesSpan(bounds, spans[role][key]!)) ?? []
  const buckets = new Set(held('base').map(key => bucketOf(key, manifest.buckets)))
  const inDelta = held('delta').length > 0
  const holdsKey = ({ role, bucket }: Part): boolean =>
    keys === null || (role === 'delta' ? inDelta : bucket === null || buckets.has(bucket))
  const wanted: Part[] = []
  let rows = 0
  for (const part of manifest.parts) {
    if (most !== null && rows >= most) break
    if (!reaches(bounds, part.first_date, part.last_date) || !holdsKey(part)) continue
    wanted.push(part)
    rows += part.rows
  }
  return wanted
}

/** True where days from the first to the last may lie within the bounds; unknown days may. */
const reaches = ({ from, to }: Bounds, first: string | null, last: string | null): boolean =>
  (from === null || last === null || last >= from) && (to === null || first === null || first <= to)

const reachesSpan = (bounds: Bounds, [first, last]: Span): boolean => reaches(bounds, first, last)
