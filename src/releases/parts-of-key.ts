import { bucketOf, type Manifest, type Part } from './manifest.ts'

/** Parts of a release, grouped by bucket (hash partition of the keys). */
interface PartIndex {
  readonly byBucket: ReadonlyMap<number, readonly Part[]>
  readonly unbucketed: readonly Part[]
}

/**
 * Part indexes, computed once per release. A release has hundreds of parts, but a read of one key
 * needs only one or two.
 */
const indexes = new WeakMap<Manifest, PartIndex>()

function indexOf(manifest: Manifest): PartIndex {
  const cachedIndex = indexes.get(manifest)
  if (cachedIndex) return cachedIndex
  const bucketed = manifest.parts.filter(({ bucket }) => bucket !== null)
  const index = {
    byBucket: Map.groupBy(bucketed, ({ bucket }) => bucket!),
    unbucketed: manifest.parts.filter(({ bucket }) => bucket === null),
  }
  indexes.set(manifest, index)
  return index
}

/**
 * Returns the parts that may contain rows of a key: first the parts of its bucket, then the parts
 * without a bucket.
 */
export const partsOfKey = (manifest: Manifest, key: string): readonly Part[] => partsOfBucket(manifest, bucketOf(key, manifest.buckets))

/** Returns the parts that may contain rows of any of the keys, in the order of the buckets. */
export function partsOfKeys(manifest: Manifest, keys: readonly string[]): readonly Part[] {
  const { byBucket, unbucketed } = indexOf(manifest)
  const buckets = new Set(keys.map(key => bucketOf(key, manifest.buckets)))
  return [...[...buckets].sort((a, b) => a - b).flatMap(bucket => byBucket.get(bucket) ?? []), ...unbucketed]
}

function partsOfBucket(manifest: Manifest, bucket: number): readonly Part[] {
  const { byBucket, unbucketed } = indexOf(manifest)
  const own = byBucket.get(bucket)
  return own === undefined ? unbucketed : unbucketed.length === 0 ? own : [...own, ...unbucketed]
}
