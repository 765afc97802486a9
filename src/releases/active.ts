import { isDeepStrictEqual } from 'node:util'
import type { Dataset } from '../../catalog/index.ts'
import { type Log, ofDataset, Refusal } from '../core/index.ts'
import { newestValidRelease } from './fallback.ts'
import { fileVersion, retainedReleases } from './files.ts'
import { type Check, createDamages, type Verifier } from './integrity.ts'
import { partFiles, releasePaths } from './manifest.ts'
import type { Damage } from './part-cache.ts'
import type { Release } from './release.ts'

/** The served release of each dataset. Callers must not change one dataset concurrently. */
export interface ActiveReleases {
  /** Undefined if no release is served. */
  get(dataset: Dataset): Release | undefined
  /**
   * Null for a dataset that was never published.
   * @throws Refusal data_unavailable if no release passes the check
   */
  served(dataset: Dataset): Release | null
  damages(dataset: Dataset): readonly Damage[]
  /**
   * True if `current` changed or a damaged file was replaced. Also true before the first refresh.
   */
  hasChanged(dataset: Dataset): boolean
  /**
   * Activates the release that `current` names, if `current` changed or damage may be repaired.
   * @throws Error if the release cannot be read now; the next call retries
   */
  refresh(dataset: Dataset): Promise<void>
  /** Checks the served release. Serves an earlier release if a file is damaged. */
  review(dataset: Dataset): Promise<void>
  /**
   * Call after a failed read. Hashes all files of the release, then checks the served release. The
   * release need not be the served release.
   */
  reportReadFailure(release: Release): Promise<void>
}

export interface ActiveReleasesDeps {
  readonly root: string
  readonly verifier: Verifier
  readonly log: Log
  /** Called and awaited before another release is served. Must not reject. */
  readonly prepare: (release: Release) => Promise<void>
  /** Called if the served release changed, was removed, or has replaced files. */
  readonly changed: (dataset: Dataset) => void
}

/** `Retry-After` in seconds. */
const RETRY_AFTER = 30

/** Empty until the first refresh. Every file is verified before a release is activated. */
export function createActiveReleases({ root, verifier, log, prepare, changed }: ActiveReleasesDeps): ActiveReleases {
  /** Undefined if all releases of the dataset are damaged. */
  const active = new Map<string, Release | undefined>()
  const pointers = createPointerWatch(root)
  const damages = createDamages()
  const refreshed = new Set<string>()
  const hasChanged = (slug: string): boolean => pointers.hasChanged(slug) || damages.isRepaired(slug)
  /**
   * True if a dataset has releases but no file `current`. Checked once per dataset. If `current`
   * disappears later, the release stays served.
   */
  const isPointerLost = async (slug: string): Promise<boolean> => {
    if (refreshed.has(slug)) return false
    const lost = !hasChanged(slug) && (await retainedReleases(root, slug)).length > 0
    refreshed.add(slug)
    return lost
  }
  const activate = async (dataset: Dataset, check: Check): Promise<void> => {
    const formerRelease = active.get(dataset.slug)
    const newest = await releaseToServe(root, dataset, formerRelease, check, log)
    const release = newest.release && verifier.withFreshPaths(newest.release)
    damages.set(dataset.slug, newest.damages)
    const unchanged = active.has(dataset.slug) && isSame(formerRelease, release)
    if (release && !unchanged) await prepare(release)
    active.set(dataset.slug, release)
    if (unchanged) return
    const { id, manifest, degraded } = release ?? { id: null, manifest: null, degraded: true }
    log('release served', { dataset: dataset.slug, release: id, rows: manifest?.statistics.rows ?? 0, degraded })
    changed(dataset)
    // If the files cannot be listed now, the next activation tries again.
    await verifier.forgetRemoved(dataset).catch(() => {})
  }
  const isDamagedOrReplaced = async (release: Release, check: Check): Promise<boolean> =>
    (await check(release)) !== undefined || verifier.withFreshPaths(release) !== release
  return {
    get: ({ slug }) => active.get(slug),
    damages: ({ slug }) => damages.get(slug),
    served(dataset) {
      const release = active.get(dataset.slug)
      if (!release && pointers.wasAcknowledged(dataset.slug))
        throw new Refusal('data_unavailable', { ...ofDataset(dataset), retry_after: RETRY_AFTER })
      return release ?? null
    },
    hasChanged: ({ slug }) => !refreshed.has(slug) || hasChanged(slug),
    async refresh(dataset) {
      const { slug } = dataset
      const lost = await isPointerLost(slug)
      if (!lost && !hasChanged(slug)) return
      const undo = pointers.acknowledge(slug)
      try {
        await activate(dataset, verifier.checkFiles)
      } catch (error) {
        undo()
        if (lost) refreshed.delete(slug)
        throw error
      }
    },
    async review(dataset) {
      const served = active.get(dataset.slug)
      if (served && (await isDamagedOrReplaced(served, verifier.check))) await activate(dataset, verifier.check)
    },
    async reportReadFailure(release) {
      const served = active.get(release.dataset.slug)
      // Another report has already replaced this release.
      if (served !== release && (await isDamagedOrReplaced(release, verifier.check))) return
      const check = verifier.recheck()
      if (!(await isDamagedOrReplaced(release, check))) return
      if (served && (served === release || (await isDamagedOrReplaced(served, check)))) await activate(release.dataset, check)
    },
  }
}

/**
 * True if two releases give the same answers. `completeThrough` can change while the files stay the
 * same.
 */
function isSame(a: Release | undefined, b: Release | undefined): boolean {
  if (!a || !b) return a === b
  if (a.id !== b.id) return false
  const identity = ({ degraded, completeThrough, manifest, pathOf }: Release) => [
    degraded,
    completeThrough,
    ...partFiles(manifest).map(pathOf),
  ]
  return isDeepStrictEqual(identity(a), identity(b))
}

/**
 * Returns the newest valid release on disk. If there is none, returns the served release, marked as
 * degraded.
 */
async function releaseToServe(root: string, dataset: Dataset, formerRelease: Release | undefined, check: Check, log: Log) {
  const newest = await newestValidRelease(root, dataset, check, log)
  if (newest.release || !formerRelease) return newest
  // The served release may be intact, even if its metadata on disk is damaged.
  return (await check(formerRelease)) === undefined ? { ...newest, release: { ...formerRelease, degraded: true } } : newest
}

function createPointerWatch(root: string) {
  const published = new Set<string>()
  const acknowledged = new Map<string, string>()
  const versionOf = (slug: string): string | undefined => fileVersion(releasePaths(root, slug).current)
  return {
    hasChanged(slug: string): boolean {
      const version = versionOf(slug)
      return version !== undefined && version !== acknowledged.get(slug)
    },
    /**
     * Marks the current version of `current` as seen.
     * @returns a function that removes the mark
     */
    acknowledge(slug: string): () => void {
      const version = versionOf(slug)
      published.add(slug)
      if (version === undefined) return () => {}
      acknowledged.set(slug, version)
      return () => void acknowledged.delete(slug)
    },
    wasAcknowledged: (slug: string): boolean => published.has(slug),
  }
}
