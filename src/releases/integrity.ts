import { readdir } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { basename, dirname, sep } from 'node:path'
import type { Dataset } from '../../catalog/index.ts'
import { processInSlices } from '../core/index.ts'
import { fileVersion, ifPresent, retryTransient, sha256Of } from './files.ts'
import { type HashThread, openHashThread } from './hash-thread.ts'
import { type PartFile, partFiles, releasePaths } from './manifest.ts'
import { createPartCache, type Damage, mayBeRepaired, type PartLocation, type ValidPart } from './part-cache.ts'
import type { PastRelease } from './release.ts'

/** Undefined means intact. @throws Error if the process lacks file descriptors or memory */
export type Check = (release: PastRelease) => Promise<Damage | undefined>

/** Verifies files by the sha256 in the manifest. Hashes a file once, and again after a change. */
export interface Verifier {
  /** Hashes only files that are not verified yet, and damaged files that may be repaired. */
  readonly check: Check
  /**
   * Like `check`, but also hashes files that were written or replaced. Calls `stat` once per file.
   */
  readonly checkFiles: Check
  /** Undefined means intact. @throws the same errors as `Check` */
  checkParts(release: PastRelease, parts: readonly PartFile[]): Promise<Damage | undefined>
  /**
   * Like `checkParts`, but also hashes files that were written or replaced. Calls `stat` once per
   * file.
   * @throws the same errors as `Check`
   */
  checkPartFiles(release: Pick<PastRelease, 'dataset'>, parts: readonly PartFile[]): Promise<Damage | undefined>
  /**
   * Hashes every file again. Disks can lose bits silently, and DuckDB does not detect flipped bits.
   */
  recheck(): Check
  /**
   * Call after a read.
   * @returns true if the read used intact bytes
   * @throws the same errors as `Check`
   */
  verifyRead(release: PastRelease, parts: readonly PartFile[]): Promise<boolean>
  /** Ordered by the time of the last verification. */
  valid(): Iterable<ValidPart>
  /**
   * Returns the next file to hash. Files that were hashed only once have priority, then the file
   * with the oldest verification. Undefined if every file was verified after number `since`.
   */
  due(since: number): ValidPart | undefined
  verifications(): number
  trackedParts(): number
  forgetRemoved(dataset: Dataset): Promise<void>
  /**
   * @param hash returns the sha256 of a file
   * @returns `replaced` if the bytes are intact but the file was replaced
   */
  verifyAgain(part: ValidPart, hash: (file: string) => Promise<string>): Promise<'same' | 'replaced' | 'damaged'>
  /**
   * Gives replaced files a new path. The engine may have cached the old file under the old path.
   */
  withFreshPaths<R extends PastRelease>(release: R): R
}

const CONCURRENT_HASHES = 4
const MANY_PARTS = 32
/** More threads would only wait for the disk or memory. */
const THREADS = Math.min(2, availableParallelism())

/**
 * @param onThreadsBusy called while worker threads hash files, so that the main thread can do other
 * work
 */
export function createVerifier(root: string, onThreadsBusy: () => void = () => {}): Verifier {
  const cache = createPartCache()
  const hashing = new Map<string, Promise<Damage | undefined>>()
  const locator = ({ dataset: { slug } }: Pick<PastRelease, 'dataset'>): ((part: PartFile) => PartLocation) => {
    const paths = releasePaths(root, slug)
    return part => ({ part, slug, file: paths.file(part) })
  }
  const locate = (release: Pick<PastRelease, 'dataset'>, parts: readonly PartFile[]): readonly PartLocation[] => parts.map(locator(release))
  const verifyOnce = (location: PartLocation, hash: (file: string) => Promise<string>): Promise<Damage | undefined> => {
    const running = hashing.get(location.file) ?? cache.verify(location, hash).finally(() => hashing.delete(location.file))
    hashing.set(location.file, running)
    return running
  }
  /** Threads that concurrent checks share. Closed after the last check. */
  let shared: { readonly threads: readonly HashThread[]; users: number } | undefined
  const checkMany = async (locations: readonly PartLocation[]): Promise<Damage | undefined> => {
    shared ??= { threads: Array.from({ length: THREADS }, () => openHashThread(sha256Of)), users: 0 }
    const pool = shared
    pool.users++
    setImmediate(onThreadsBusy)
    const results = await Promise.allSettled(
      locations.map((location, index) => verifyOnce(location, file => retryTransient(() => pool.threads[index % THREADS]!.hash(file)))),
    )
    if (--pool.users === 0) {
      shared = undefined
      for (const { close } of pool.threads) close()
    }
    const failed = results.find(result => result.status === 'rejected')
    if (failed) throw failed.reason
    return results.flatMap(result => (result.status === 'fulfilled' && result.value) || [])[0]
  }
  const checkPlaces = async (locations: readonly PartLocation[]): Promise<Damage | undefined> => {
    const unverified = locations.filter(({ file }) => !cache.isValid(file))
    if (unverified.length >= MANY_PARTS) return checkMany(unverified)
    const next = unverified.values()
    let damage: Damage | undefined
    const checkRest = async (): Promise<void> => {
      for (const location of next) {
        const result = await verifyOnce(location, sha256Of)
        damage ??= result
        if (damage) return
      }
    }
    await Promise.all(Array.from({ length: CONCURRENT_HASHES }, checkRest))
    return damage
  }
  const check: Check = release => checkPlaces(locate(release, partFiles(release.manifest)))
  const checkPartFiles: Verifier['checkPartFiles'] = async (release, parts) => {
    const locationOf = locator(release)
    const locations: PartLocation[] = []
    await processInSlices(parts, { yields: true }, part => {
      const location = locationOf(part)
      if (cache.isTouched(location.file)) cache.invalidate(location.file)
      locations.push(location)
    })
    return checkPlaces(locations)
  }
  const withFreshPaths = <R extends PastRelease>(release: R): R => (cache.hasRepairs() ? freshPaths(root, release, cache.repairs) : release)
  return {
    check,
    checkFiles: release => checkPartFiles(release, partFiles(release.manifest)),
    checkParts: (release, parts) => checkPlaces(locate(release, parts)),
    checkPartFiles,
    recheck() {
      const invalidated = new Set<string>()
      return release => {
        for (const { file } of locate(release, partFiles(release.manifest))) {
          if (!invalidated.has(file)) cache.invalidate(file)
          invalidated.add(file)
        }
        return check(release)
      }
    },
    async verifyRead(release, parts) {
      // Hash again, because an earlier hash may have started before the read.
      for (const location of locate(release, parts)) if (await cache.verify(location, sha256Of)) return false
      return withFreshPaths(release) === release
    },
    valid: cache.valid,
    due: cache.due,
    verifications: cache.turns,
    trackedParts: () => [...cache.known()].length,
    async forgetRemoved({ slug }) {
      const { parts, months } = releasePaths(root, slug)
      for (const folder of [parts, months]) {
        const names = await ifPresent(readdir(folder))
        const onDisk = new Set(names?.map(name => `${folder}${sep}${name}`))
        for (const file of cache.known()) {
          if (!file.startsWith(`${folder}${sep}`) || onDisk.has(file)) continue
          if (fileVersion(file) === undefined) cache.forget(file)
        }
      }
    },
    async verifyAgain({ file, ...location }, hash) {
      const repairs = cache.repairs(file)
      if (await cache.verify({ file, ...location }, hash)) return 'damaged'
      return cache.repairs(file) === repairs ? 'same' : 'replaced'
    },
    withFreshPaths,
  }
}

function freshPaths<R extends PastRelease>(root: string, release: R, repairsOf: (file: string) => number): R {
  const paths = releasePaths(root, release.dataset.slug)
  /** Keyed by the usual path, because two files can have the same sha256. */
  const newPaths = new Map<string, string>()
  let repairs = 0
  for (const part of partFiles(release.manifest)) {
    const file = paths.file(part)
    const count = repairsOf(file)
    repairs += count
    const path = `${dirname(file)}${sep}${aliasPrefix(count)}${basename(file)}`
    if (path !== release.pathOf(part)) newPaths.set(file, path)
  }
  return newPaths.size === 0 ? release : { ...release, repairs, pathOf: part => newPaths.get(paths.file(part)) ?? release.pathOf(part) }
}

/**
 * Returns another spelling of the same folder for each number, because the engine caches files by
 * path.
 */
const aliasPrefix = (number: number): string =>
  number === 0 ? '' : [...number.toString(2)].map(digit => (digit === '1' ? `.${sep}` : sep)).join('')

export interface Damages {
  set(slug: string, found: readonly Damage[]): void
  /** True if any damaged file of the dataset may be repaired. Calls `stat` once per file. */
  isRepaired(slug: string): boolean
  get(slug: string): readonly Damage[]
}

export function createDamages(): Damages {
  const damages = new Map<string, readonly Damage[]>()
  return {
    set(slug, found) {
      if (found.length === 0) damages.delete(slug)
      else damages.set(slug, [...new Map(found.map(damage => [damage.file, damage])).values()])
    },
    isRepaired: slug => damages.get(slug)?.some(mayBeRepaired) ?? false,
    get: slug => damages.get(slug) ?? [],
  }
}
