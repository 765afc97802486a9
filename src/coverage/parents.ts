import { fromParts, type Pool, quote } from '../engine/index.ts'
import type { Release, Releases, Span } from '../releases/index.ts'

/** Keyed by parent, for example by broker instead of branch. */
export type SpansByParent = ReadonlyMap<string, Span>

/**
 * @throws Refusal overloaded, query_timeout, data_unavailable
 * @throws Error if a Parquet file is damaged
 */
export function createParents(releases: Releases, pool: Pool): (release: Release) => Promise<SpansByParent> {
  const cache = new WeakMap<Release, Promise<SpansByParent>>()
  return release => {
    const cachedSpans = cache.get(release)
    if (cachedSpans) return cachedSpans
    const reading = releases.loadVerified(release, release.manifest.parts, () => spansByParent(release, pool))
    cache.set(release, reading)
    reading.catch(() => cache.delete(release))
    return reading
  }
}

async function spansByParent({ dataset, manifest, pathOf }: Release, pool: Pool): Promise<SpansByParent> {
  const { parent, date } = dataset
  if (parent === undefined || manifest.parts.length === 0) return new Map()
  const end = (which: 'min' | 'max'): string => (date === undefined ? "''" : `coalesce(${which}(${quote(date)})::VARCHAR, '')`)
  const text = `SELECT ${quote(parent)}::VARCHAR, ${end('min')}, ${end('max')}, count(*)::VARCHAR FROM ${fromParts(manifest.parts.map(pathOf))} GROUP BY 1`
  return pool.read(
    { text, values: [], once: true },
    chunks =>
      new Map(
        chunks.flatMap(chunk => {
          const [name, first, last, rows] = [0, 1, 2, 3].map(index => chunk.column(index))
          return Array.from({ length: chunk.rows }, (_, row): [string, Span] => [
            name!.text(row),
            [first!.text(row) || null, last!.text(row) || null, Number(rows!.text(row))],
          ])
        }),
      ),
  )
}
