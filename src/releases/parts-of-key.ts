import { bucketOf, type Manifest, type Part } from './manifest.ts'

/** Parts of one release by bucket, and those that belong to none. */
interface Places {
  readonly byBucket: ReadonlyMap<number, readonly Part[]>
  readonly anywhere: readonly Part[]
}

/** Grouped once per release: a release has hundreds of parts, and a point read needs one or two. */
const grouped = new WeakMap<Manifest, Places>()

function placesOf(manifest: Manifest): Places {
  const known = grouped.get(manifest)
  if (known) return known
  const bucketed = manifest.parts.filter(({ bucket }) => bucket !== null)
  const places = {
    byBucket: Map.groupBy(bucketed, ({ bucket }) => bucket!),
    anywhere: manifest.parts.filter(({ bucket }) => bucket === null),
  }
  grouped.set(manifest, places)
  return places
}

/** Parts that may hold a key's rows: those of its bucket, then those that belong to no bucket. */
export const partsOfKey = (manifest: Manifest, key: string): readonly Part[] => partsOfBucket(manifest, bucketOf(key, manifest.buckets))

/** Parts that may hold rows of any of the keys, in the order of their buckets. */
export function partsOfKeys(manifest: Manifest, keys: readonly string[]): readonly Part[] {
  const { byBucket, anywhere } = placesOf(manifest)
  const buckets = new Set(keys.map(key => bucketOf(key, manifest.buckets)))
  return [...[...buckets].sort((a, b) => a - b).flatMap(bucket => byBucket.get(bucket) ?? []), ...anywhere]
}

function partsOfBucket(manifest: Manifest, bucket: number): readonly Part[] {
  const { byBucket, anywhere } = placesOf(manifest)
  const own = byBucket.get(bucket)
  return own === undefined ? anywhere : anywhere.length === 0 ? own : [...own, ...anywhere]
}
