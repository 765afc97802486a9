import { readdir } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { basename, dirname, sep } from 'node:path'
import type { Dataset } from '../../catalog/index.ts'
import { fileVersion, ifPresent, retryTransient, sha256Of } from './files.ts'
import { type HashThread, openHashThread } from './hash-thread.ts'
import { type PartFile, partFiles, releasePaths } from './manifest.ts'
import { createPartCache, type Damage, mayBeRepaired, type PartLocation, type ValidPart } from './part-cache.ts'
import type { PastRelease } from './release.ts'

/**
 * Checks a release. @returns the first damage found; undefined if there is none
 *
 * @throws Error if the release cannot be checked because the process lacks file descriptors or
 * memory
 */
export type Check = (release: PastRelease) => Promise<Damage | undefined>

/**
 * Compares parts with the sha256 in the manifest. A part is hashed once, and again if its file
 * changes.
 */
export interface Verifier {
  /**
   * Checks a release. Hashes the parts that are not verified yet, and the damaged parts whose file
   * may be repaired.
   */
  readonly check: Check
  /**
   * Checks a release like `check`, and also hashes parts whose file was written or replaced. To
   * find these parts, calls `stat` once per part.
   */
  readonly checkFiles: Check
  /**
   * Checks some parts of a release.
   *
   * @returns the first damage found; undefined if there is none
   * @throws the same errors as `Check`
   */
  checkParts(release: PastRelease, parts: readonly PartFile[]): Promise<Damage | undefined>
  /**
   * Checks some parts like `checkParts`, and also hashes parts whose file was written or replaced.
   * To find these parts, calls `stat` once per part.
   *
   * @throws the same errors as `Check`
   */
  checkPartFiles(release: Pick<PastRelease, 'dataset'>, parts: readonly PartFile[]): Promise<Damage | undefined>
  /**
   * Returns a check that hashes every part again, even if it is verified. Disks can lose bits
   * silently, and DuckDB does not detect a flipped bit.
   */
  recheck(): Check
  /**
   * Hashes parts after a read, to find out whether the read used intact bytes.
   *
   * @returns true if the parts are intact and no file was written or replaced since the engine
   * first opened it under the path in this release
   * @throws the same errors as `Check`
   */
  verifyRead(release: PastRelease, parts: readonly PartFile[]): Promise<boolean>
  /** Returns the verified parts, ordered by the time of their last verification. */
  valid(): Iterable<ValidPart>
  /**
   * Returns the next part to hash. Parts that were hashed only once come first. After these, the
   * part whose last verification is oldest is returned. Undefined if all parts were verified after
   * verification number `since`.
   */
  due(since: number): ValidPart | undefined
  verifications(): number
  trackedParts(): number
  forgetRemoved(dataset: Dataset): Promise<void>
  /**
   * Hashes a valid part again.
   *
   * @param hash returns the sha256 of a file
   * @returns `replaced` if the part is intact but its file was replaced
   */
  verifyAgain(part: ValidPart, hash: (file: string) => Promise<string>): Promise<'same' | 'replaced' | 'damaged'>
  /**
   * Returns the release with a new path for each replaced part, and counts the repairs. The engine
   * may have cached the old file under the old path, so a new path is necessary.
   */
  withFreshPaths<R extends PastRelease>(release: R): R
}

const CONCURRENT_HASHES = 4
const MANY_PARTS = 32
/** Number of files that are examined before other work of the event loop may run. */
const FILES_PER_YIELD = 100
/** Number of worker threads. More threads would only wait for the disk or memory. */
const THREADS = Math.min(2, availableParallelism())

/**
 * Creates a verifier, which compares the parts of releases with the sha256 in the manifests.
 *
 * @param onThreadsBusy called when many parts are waiting to be hashed. Worker threads do this, so
 * the caller's thread may do other work
 */
export function createVerifier(root: string, onThreadsBusy: () => void = () => {}): Verifier {
  const cache = createPartCache()
  const hashing = new Map<string, Promise<Damage | undefined>>()
  const locate = ({ dataset: { slug } }: Pick<PastRelease, 'dataset'>, parts: readonly PartFile[]): readonly PartLocation[] => {
    const paths = releasePaths(root, slug)
    return parts.map(part => ({ part, slug, file: paths.file(part) }))
  }
  const verifyOnce = (location: PartLocation, hash: (file: string) => Promise<string>): Promise<Damage | undefined> => {
    const running = hashing.get(location.file) ?? cache.verify(location, hash).finally(() => hashing.delete(location.file))
    hashing.set(location.file, running)
    return running
  }
  /**
   * Worker threads, shared by checks that run at the same time, for example the checks of all
   * datasets at the start. The threads are closed after the last check.
   */
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
    const locations = locate(release, parts)
    for (const [index, { file }] of locations.entries()) {
      if (cache.isTouched(file)) cache.invalidate(file)
      if (index % FILES_PER_YIELD === FILES_PER_YIELD - 1) await new Promise(resolve => setImmediate(resolve))
    }
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
      // `verifyOnce` would not be sufficient. It may return the result of a hash that started
      // before the read.
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
  /**
   * Maps the usual path of a part to its new path. The sha256 cannot be the key: a part by key and
   * a part by month may contain the same bytes.
   */
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
 * Returns a different path prefix of the same folder for each number. The engine caches files by
 * the text of the path, so a different prefix makes it read the file again. The prefix is the
 * number in binary, with `./` for each 1 and `/` for each 0. Empty for 0.
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
