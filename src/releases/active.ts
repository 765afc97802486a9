import { isDeepStrictEqual } from 'node:util'
import type { Dataset } from '../../catalog/index.ts'
import { type Log, ofDataset, Refusal } from '../core/index.ts'
import { newestValidRelease } from './fallback.ts'
import { fileVersion, retainedReleases } from './files.ts'
import { type Check, createDamages, type Verifier } from './integrity.ts'
import { partFiles, releasePaths } from './manifest.ts'
import type { Damage } from './part-cache.ts'
import type { Release } from './release.ts'

/** The release served of each dataset. Not safe for concurrent changes to one dataset; callers serialize. */
export interface ActiveReleases {
  /** Undefined where there is none to serve, for whatever reason. */
  of(dataset: Dataset): Release | undefined
  /** Null for a dataset that was never published. @throws Refusal data_unavailable when no release passes its check */
  served(dataset: Dataset): Release | null
  /** What keeps newer releases of a dataset from being served; none where nothing does. */
  damages(dataset: Dataset): readonly Damage[]
  /** True once `current` was replaced, or a damaged file was; also before the first refresh. */
  hasChanged(dataset: Dataset): boolean
  /** Activates what `current` names, if that changed or may be intact again. @throws Error when it cannot be read now; it is retried then */
  refresh(dataset: Dataset): Promise<void>
  /** Takes up what was found of the parts of the served release since: falls back where one is damaged, opens anew what was replaced. */
  review(dataset: Dataset): Promise<void>
  /** Hashes every part of a release, served or not, whose read failed; then the same. */
  reportReadFailure(release: Release): Promise<void>
}

/** `root` holds the releases, one folder a dataset. */
export interface ActiveReleasesDeps {
  readonly root: string
  readonly verifier: Verifier
  readonly log: Log
  /** Told of each dataset that answers otherwise than before: from another release, from other files of it, or from none. */
  readonly changed: (dataset: Dataset) => void
}

/** Seconds after which a refused read may be tried again: damaged files are checked every second. */
const RETRY_AFTER = 30

/** Serves nothing before the first refresh. Every part of a release is verified before it is activated. */
export function createActiveReleases({ root, verifier, log, changed }: ActiveReleasesDeps): ActiveReleases {
  /** Undefined where no release passed its check. */
  const active = new Map<string, Release | undefined>()
  const pointers = createPointerWatch(root)
  const damages = createDamages()
  const looked = new Set<string>()
  const hasChanged = (slug: string): boolean => pointers.hasChanged(slug) || damages.isRepaired(slug)
  /** At the first look: releases without a `current` that names one of them. Later on the file appears, or what is served stays. */
  const isPointerLost = async (slug: string): Promise<boolean> => {
    if (looked.has(slug)) return false
    const lost = !hasChanged(slug) && (await retainedReleases(root, slug)).length > 0
    looked.add(slug)
    return lost
  }
  const activate = async (dataset: Dataset, check: Check): Promise<void> => {
    const former = active.get(dataset.slug)
    const found = await releaseToServe(root, dataset, former, check, log)
    const release = found.release && verifier.withFreshPaths(found.release)
    damages.set(dataset.slug, found.damages)
    const unchanged = active.has(dataset.slug) && isSame(former, release)
    active.set(dataset.slug, release)
    if (unchanged) return
    const { id, manifest, degraded } = release ?? { id: null, manifest: null, degraded: true }
    log('release served', { dataset: dataset.slug, release: id, rows: manifest?.statistics.rows ?? 0, degraded })
    changed(dataset)
    // Another release, another look: what could not be listed now is forgotten then.
    await verifier.forgetRemoved(dataset).catch(() => {})
  }
  const failed = async (release: Release, check: Check): Promise<boolean> =>
    (await check(release)) !== undefined || verifier.withFreshPaths(release) !== release
  return {
    of: ({ slug }) => active.get(slug),
    damages: ({ slug }) => damages.of(slug),
    served(dataset) {
      const release = active.get(dataset.slug)
      if (!release && pointers.wasSeen(dataset.slug))
        throw new Refusal('data_unavailable', { ...ofDataset(dataset), retry_after: RETRY_AFTER })
      return release ?? null
    },
    hasChanged: ({ slug }) => !looked.has(slug) || hasChanged(slug),
    async refresh(dataset) {
      const { slug } = dataset
      const lost = await isPointerLost(slug)
      if (!lost && !hasChanged(slug)) return
      const takeBack = pointers.acknowledge(slug)
      try {
        await activate(dataset, verifier.checkFiles)
      } catch (error) {
        takeBack()
        if (lost) looked.delete(slug)
        throw error
      }
    },
    async review(dataset) {
      const served = active.get(dataset.slug)
      if (served && (await failed(served, verifier.check))) await activate(dataset, verifier.check)
    },
    async reportReadFailure(release) {
      const served = active.get(release.dataset.slug)
      // An earlier report of the same damage has replaced it already.
      if (served !== release && (await failed(release, verifier.check))) return
      const check = verifier.recheck()
      if (!(await failed(release, check))) return
      if (served && (served === release || (await failed(served, check)))) await activate(release.dataset, check)
    },
  }
}

/** True where both answer every read alike, from the same files. A later source check may complete more days of the same release. */
function isSame(one: Release | undefined, other: Release | undefined): boolean {
  if (!one || !other) return one === other
  const told = ({ id, degraded, completeThrough, manifest, pathOf }: Release) => [
    id,
    degraded,
    completeThrough,
    ...partFiles(manifest).map(pathOf),
  ]
  return isDeepStrictEqual(told(one), told(other))
}

/** The newest valid release; what is served already where none on disk is valid, as degraded. */
async function releaseToServe(root: string, dataset: Dataset, former: Release | undefined, check: Check, log: Log) {
  const found = await newestValidRelease(root, dataset, check, log)
  if (found.release || !former) return found
  // Nothing on disk passes any more, but the parts that are being served do: better an older release than none.
  return (await check(former)) === undefined ? { ...found, release: { ...former, degraded: true } } : found
}

/** Tells whether `current` of a dataset was replaced since that was acknowledged. */
function createPointerWatch(root: string) {
  const seen = new Set<string>()
  const acknowledged = new Map<string, string>()
  const version = (slug: string): string | undefined => fileVersion(releasePaths(root, slug).current)
  return {
    /** False where there is none. */
    hasChanged(slug: string): boolean {
      const found = version(slug)
      return found !== undefined && found !== acknowledged.get(slug)
    },
    /** @returns what takes the acknowledgement back */
    acknowledge(slug: string): () => void {
      const found = version(slug)
      seen.add(slug)
      if (found === undefined) return () => {}
      acknowledged.set(slug, found)
      return () => void acknowledged.delete(slug)
    },
    /** True once there was one, or releases without one, so that something was published. */
    wasSeen: (slug: string): boolean => seen.has(slug),
  }
}
