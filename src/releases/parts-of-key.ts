import { bucketOf, type Manifest, type Part } from './manifest.ts'

interface PartIndex {
  readonly byBucket: ReadonlyMap<number, readonly Part[]>
  readonly unbucketed: readonly Part[]
}

/**
 * Computed once per release. A release has hundreds of files, but a read of one key needs one or
 * two.
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

/** Returns the files that may contain rows of a key. */
export const partsOfKey = (manifest: Manifest, key: string): readonly Part[] => partsOfBucket(manifest, bucketOf(key, manifest.buckets))

/** Returns the files that may contain rows of any of the keys. */
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
