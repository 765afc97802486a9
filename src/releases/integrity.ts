import { readdir } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { sep } from 'node:path'
import type { Dataset } from '../../catalog/index.ts'
import { fileVersion, ifPresent, retryTransient, sha256Of } from './files.ts'
import { type HashThread, openHashThread } from './hash-thread.ts'
import { type PartFile, partFiles, releasePaths } from './manifest.ts'
import { createPartCache, type Damage, mayBeRepaired, type Place, type ValidPart } from './part-cache.ts'
import type { PastRelease } from './release.ts'

/**
 * What is wrong with a release, or undefined.
 *
 * @throws Error while the process is short of file descriptors or memory: nothing is known of the release then
 */
export type Check = (release: PastRelease) => Promise<Damage | undefined>

/** Checks the bytes of parts against the SHA-256 in their manifest, each part once as long as its file stays. */
export interface Verifier {
  /** Hashes the parts not verified before; a damaged part again only once it may be repaired. A release that adds one part costs one hash. */
  readonly check: Check
  /** The same, and once more those whose file was written or replaced since: one `stat` a part. */
  readonly checkFiles: Check
  /** What is wrong with some parts of a release, or undefined. @throws like `Check` */
  checkParts(release: PastRelease, parts: readonly PartFile[]): Promise<Damage | undefined>
  /** The same, and once more those whose file was written or replaced since: one `stat` a part. @throws like `Check` */
  checkPartFiles(release: Pick<PastRelease, 'dataset'>, parts: readonly PartFile[]): Promise<Damage | undefined>
  /** A check that hashes every part once more: disks lose bits silently, and DuckDB does not notice a flipped one. */
  recheck(): Check
  /**
   * Hashes parts that were just read, and tells whether what was read came from whole bytes: they are whole now, and no file was written
   * or replaced since the engine may first have opened it under this release's paths. @throws like `Check`
   */
  vouch(release: PastRelease, parts: readonly PartFile[]): Promise<boolean>
  /** Every part found valid and not damaged since: what reads may open. The one verified longest ago comes first. */
  valid(): Iterable<ValidPart>
  /** The part to hash next, since a turn: one that was hashed only once, then the one hashed longest ago; undefined once all were. */
  due(since: number): ValidPart | undefined
  /** Verifications so far. */
  turns(): number
  /** Parts of which something is remembered, found valid or not. */
  known(): number
  /** Forgets the parts of a dataset whose files were removed, as those of releases that were let go are. */
  forgetRemoved(dataset: Dataset): Promise<void>
  /** Hashes a valid part once more. @param hash makes the sha256 of a file @returns `replaced` where it is whole, but not the file it was */
  verifyAgain(part: ValidPart, hash: (file: string) => Promise<string>): Promise<'same' | 'replaced' | 'damaged'>
  /** The release, with replaced parts under other paths, and their repairs counted: what the engine caches of a path may be of the former file. */
  withFreshPaths<R extends PastRelease>(release: R): R
}

/** Parts hashed at once. */
const AT_ONCE = 4
/** From so many parts on, threads of their own hash them. */
const MANY = 32
/** More of them wait for the disk, or for memory. */
const THREADS = Math.min(2, availableParallelism())

/**
 * Compares the parts of releases with the sha256 their manifests name.
 *
 * @param asked is told once all of many parts are asked for: hashing them goes on whatever the caller's thread does from then on
 */
export function createVerifier(root: string, asked: () => void = () => {}): Verifier {
  const cache = createPartCache()
  const hashing = new Map<string, Promise<Damage | undefined>>()
  const placesOf = ({ dataset: { slug } }: Pick<PastRelease, 'dataset'>, parts: readonly PartFile[]): readonly Place[] => {
    const paths = releasePaths(root, slug)
    return parts.map(part => ({ part, slug, file: paths.part(part.sha256) }))
  }
  const verifyOnce = (place: Place, hash: (file: string) => Promise<string>): Promise<Damage | undefined> => {
    const running = hashing.get(place.file) ?? cache.verify(place, hash).finally(() => hashing.delete(place.file))
    hashing.set(place.file, running)
    return running
  }
  /** A start checks the releases of all datasets at once, which share the threads; they end with the last that needs them. */
  let shared: { readonly threads: readonly HashThread[]; users: number } | undefined
  const checkMany = async (places: readonly Place[]): Promise<Damage | undefined> => {
    shared ??= { threads: Array.from({ length: THREADS }, () => openHashThread(sha256Of)), users: 0 }
    const pool = shared
    pool.users++
    setImmediate(asked)
    const found = await Promise.allSettled(
      places.map((place, index) => verifyOnce(place, file => retryTransient(() => pool.threads[index % THREADS]!.hash(file)))),
    )
    if (--pool.users === 0) {
      shared = undefined
      for (const { close } of pool.threads) close()
    }
    const failed = found.find(result => result.status === 'rejected')
    if (failed) throw failed.reason
    return found.flatMap(result => (result.status === 'fulfilled' && result.value) || [])[0]
  }
  const checkPlaces = async (places: readonly Place[]): Promise<Damage | undefined> => {
    const unknown = places.filter(({ file }) => !cache.isValid(file))
    if (unknown.length >= MANY) return checkMany(unknown)
    const next = unknown.values()
    let damage: Damage | undefined
    const checkOn = async (): Promise<void> => {
      for (const place of next) {
        const found = await verifyOnce(place, sha256Of)
        damage ??= found
        if (damage) return
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, checkOn))
    return damage
  }
  const check: Check = release => checkPlaces(placesOf(release, partFiles(release.manifest)))
  const checkPartFiles: Verifier['checkPartFiles'] = (release, parts) => {
    const places = placesOf(release, parts)
    for (const { file } of places) if (cache.isTouched(file)) cache.invalidate(file)
    return checkPlaces(places)
  }
  const withFreshPaths = <R extends PastRelease>(release: R): R => (cache.hasRepairs() ? freshPaths(root, release, cache.repairs) : release)
  return {
    check,
    checkFiles: release => checkPartFiles(release, partFiles(release.manifest)),
    checkParts: (release, parts) => checkPlaces(placesOf(release, parts)),
    checkPartFiles,
    recheck() {
      const seen = new Set<string>()
      return release => {
        for (const { file } of placesOf(release, partFiles(release.manifest))) {
          if (!seen.has(file)) cache.invalidate(file)
          seen.add(file)
        }
        return check(release)
      }
    },
    async vouch(release, parts) {
      // A hash that runs already may have passed the bytes before they were read.
      for (const place of placesOf(release, parts)) if (await cache.verify(place, sha256Of)) return false
      return withFreshPaths(release) === release
    },
    valid: cache.valid,
    due: cache.due,
    turns: cache.turns,
    known: () => [...cache.known()].length,
    async forgetRemoved({ slug }) {
      const paths = releasePaths(root, slug)
      const names = await ifPresent(readdir(paths.parts))
      const there = new Set(names?.map(name => `${paths.parts}${sep}${name}`))
      for (const file of cache.known()) {
        if (!file.startsWith(`${paths.parts}${sep}`) || there.has(file)) continue
        if (fileVersion(file) === undefined) cache.forget(file)
      }
    },
    async verifyAgain({ file, ...place }, hash) {
      const repairs = cache.repairs(file)
      if (await cache.verify({ file, ...place }, hash)) return 'damaged'
      return cache.repairs(file) === repairs ? 'same' : 'replaced'
    },
    withFreshPaths,
  }
}

function freshPaths<R extends PastRelease>(root: string, release: R, repairsOf: (file: string) => number): R {
  const { parts, part: pathOf } = releasePaths(root, release.dataset.slug)
  const moved = new Map<string, string>()
  let repairs = 0
  for (const part of partFiles(release.manifest)) {
    const count = repairsOf(pathOf(part.sha256))
    repairs += count
    const path = `${parts}${sep}${detour(count)}${part.sha256}.parquet`
    if (path !== release.pathOf(part)) moved.set(part.sha256, path)
  }
  return moved.size === 0 ? release : { ...release, repairs, pathOf: part => moved.get(part.sha256) ?? release.pathOf(part) }
}

/** The engine caches by the text of a path, and two that differ by dots and separators name one file. Another text for each number, none for 0. */
const detour = (number: number): string =>
  number === 0 ? '' : [...number.toString(2)].map(digit => (digit === '1' ? `.${sep}` : sep)).join('')

/** What was found damaged of each dataset. */
export interface Damages {
  /** Replaces what was found of the dataset before. */
  set(slug: string, found: readonly Damage[]): void
  /** True once a damaged file may be whole: one `stat` each. */
  isRepaired(slug: string): boolean
  /** What was found last; none where everything is whole. */
  of(slug: string): readonly Damage[]
}

export function createDamages(): Damages {
  const damages = new Map<string, readonly Damage[]>()
  return {
    set(slug, found) {
      if (found.length === 0) damages.delete(slug)
      else damages.set(slug, [...new Map(found.map(damage => [damage.file, damage])).values()])
    },
    isRepaired: slug => damages.get(slug)?.some(mayBeRepaired) ?? false,
    of: slug => damages.get(slug) ?? [],
  }
}
