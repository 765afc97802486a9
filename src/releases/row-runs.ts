import { bucketOf, type Part } from './manifest.ts'
import type { Release } from './release.ts'

/** Row numbers of one key, counted from 0, both inclusive. */
export interface RowRun {
  readonly first: number
  readonly last: number
}

/** Undefined if the row counts of manifest and file differ. */
type Runs = ReadonlyMap<string, RowRun> | undefined

interface RunIndex {
  readonly keys: ReadonlyMap<number, readonly string[]>
  /** By sha256, filled on demand. */
  readonly parts: Map<string, Runs>
}

const indexes = new WeakMap<Release, RunIndex>()

/**
 * Computes row numbers from the row counts per key, because files are sorted by key.
 * @returns null if the file has no rows of the key; undefined if the row numbers cannot be computed
 */
export function rowRunOf(release: Release, part: Part, key: string): RowRun | null | undefined {
  const { parts, keys } = indexOf(release)
  const isCached = parts.has(part.sha256)
  const runs = isCached ? parts.get(part.sha256) : runsIn(release, part, keys)
  if (!isCached) parts.set(part.sha256, runs)
  return runs && (runs.get(key) ?? null)
}

function indexOf(release: Release): RunIndex {
  const cachedIndex = indexes.get(release)
  if (cachedIndex) return cachedIndex
  const { buckets } = release.manifest
  const index = { keys: Map.groupBy(Object.keys(release.spans.base), key => bucketOf(key, buckets)), parts: new Map<string, Runs>() }
  indexes.set(release, index)
  return index
}

function runsIn({ spans }: Release, { role, bucket, rows }: Part, keys: RunIndex['keys']): Runs {
  const spansOfRole = role === 'base' ? spans.base : spans.delta
  const names = role === 'base' ? (keys.get(bucket!) ?? []) : Object.keys(spansOfRole)
  const runs = new Map<string, RowRun>()
  let next = 0
  for (const name of names.map(text => Buffer.from(text)).sort(Buffer.compare)) {
    const key = name.toString()
    const [, , count] = spansOfRole[key]!
    runs.set(key, { first: next, last: next + count - 1 })
    next += count
  }
  return next === rows ? runs : undefined
}
