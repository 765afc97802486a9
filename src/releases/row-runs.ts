import { bucketOf, type Part } from './manifest.ts'
import type { Release } from './release.ts'

/** Rows of one key in a part, by their numbers in it, from 0; both ends belong to it. */
export interface RowRun {
  readonly first: number
  readonly last: number
}

/** By key; undefined where the part does not hold as many rows as the spans say. */
type Runs = ReadonlyMap<string, RowRun> | undefined

interface Known {
  /** Keys with rows in the bucket's base part. */
  readonly keys: ReadonlyMap<number, readonly string[]>
  /** By sha256 of the part, made when it is first asked for. */
  readonly parts: Map<string, Runs>
}

const known = new WeakMap<Release, Known>()

/**
 * Where a key's rows lie in a part of a release, which stores rows by key first: that follows from how many rows each key has there.
 *
 * @returns null where the part has no row of the key, undefined where its place cannot be told
 */
export function rowRunOf(release: Release, part: Part, key: string): RowRun | null | undefined {
  const { parts, keys } = knownOf(release)
  const has = parts.has(part.sha256)
  const runs = has ? parts.get(part.sha256) : runsIn(release, part, keys)
  if (!has) parts.set(part.sha256, runs)
  return runs && (runs.get(key) ?? null)
}

function knownOf(release: Release): Known {
  const found = known.get(release)
  if (found) return found
  const { buckets } = release.manifest
  const made = { keys: Map.groupBy(Object.keys(release.spans.base), key => bucketOf(key, buckets)), parts: new Map<string, Runs>() }
  known.set(release, made)
  return made
}

function runsIn({ spans }: Release, { role, bucket, rows }: Part, keys: Known['keys']): Runs {
  const of = role === 'base' ? spans.base : spans.delta
  const names = role === 'base' ? (keys.get(bucket!) ?? []) : Object.keys(of)
  const runs = new Map<string, RowRun>()
  let next = 0
  for (const name of names.map(text => Buffer.from(text)).sort(Buffer.compare)) {
    const key = name.toString()
    const [, , count] = of[key]!
    runs.set(key, { first: next, last: next + count - 1 })
    next += count
  }
  return next === rows ? runs : undefined
}
