import { bucketOf, type Manifest, type Part } from './manifest.ts'

/** Parts of a release by bucket, and those without a bucket. */
interface PartIndex {
  readonly byBucket: ReadonlyMap<number, readonly Part[]>
  readonly unbucketed: readonly Part[]
}

/**
 * Parts grouped by bucket, once per release. A release has hundreds of parts, and a point read
 * needs one or two.
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

/** Parts that may have rows of a key: those of its bucket, followed by those without a bucket. */
export const partsOfKey = (manifest: Manifest, key: string): readonly Part[] => partsOfBucket(manifest, bucketOf(key, manifest.buckets))

/** Parts that may have rows of any of the keys, in the order of their buckets. */
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
