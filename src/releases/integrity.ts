import { stat } from 'node:fs/promises'
import { sep } from 'node:path'
import { shouldRetry } from '../core/index.ts'
import { fileVersion, ifPresent, isDiskError, isShortage, retryTransient, sha256Of } from './files.ts'
import { type Part, releasePaths } from './manifest.ts'
import type { PastRelease } from './release.ts'

/** A file of a release that is not what it should be. */
export interface Damage {
  readonly reason: string
  readonly file: string
  /** Version of the file that was examined; undefined when there was none. */
  readonly version: string | undefined
  /** Where the disk did not give the bytes, so that the same file may be whole at another try: when, on the process's own steady clock. */
  readonly unreadAt?: number
}

/** What a damage says of the disk, apart from the file. */
export const unread = (error: unknown): Pick<Damage, 'unreadAt'> => (isDiskError(error) ? { unreadAt: performance.now() } : {})

/** True once the file was written or replaced, a missing one is there, or the disk may give its bytes by now: one `stat`. */
const mayBeRepaired = ({ file, version = '', unreadAt }: Damage): boolean =>
  shouldRetry({ of: version, at: unreadAt ?? 0, failed: unreadAt !== undefined }, fileVersion(file) ?? '', performance.now())

/**
 * What is wrong with a release, or undefined.
 *
 * @throws Error while the process is short of file descriptors or memory: nothing is known of the release then
 */
export type Check = (release: PastRelease) => Promise<Damage | undefined>

export interface Verifier {
  /** Hashes the parts not verified before; a damaged part again only once it may be repaired. A release that adds one part costs one hash. */
  readonly check: Check
  /** What is wrong with some parts of a release, or undefined. @throws like `Check` */
  checkParts(release: PastRelease, parts: readonly Part[]): Promise<Damage | undefined>
  /** A check that hashes every part once more: disks lose bits silently, and DuckDB does not notice a flipped one. */
  recheck(): Check
  /** Marks parts whose file was replaced since it was verified: what was read of them may not be what was hashed. */
  reportReadFailure(release: PastRelease): void
  /** The release, with repaired parts under other paths: what the engine caches of a path may be of the damaged file. */
  withFreshPaths<R extends PastRelease>(release: R): R
}

/** Compares the parts of releases with the sha256 their manifests name. */
export function createVerifier(root: string): Verifier {
  const cache = createPartCache()
  const hashing = new Map<string, Promise<Damage | undefined>>()
  const checkParts = async (release: PastRelease, parts: readonly Part[]): Promise<Damage | undefined> => {
    for (const part of parts) {
      if (cache.isValid(part)) continue
      const running = hashing.get(part.sha256) ?? cache.verify(part, release.pathOf(part)).finally(() => hashing.delete(part.sha256))
      hashing.set(part.sha256, running)
      const damage = await running
      if (damage) return damage
    }
    return undefined
  }
  const check: Check = release => checkParts(release, release.manifest.parts)
  return {
    check,
    checkParts,
    recheck() {
      const seen = new Set<string>()
      return release => {
        for (const part of release.manifest.parts) if (!seen.has(part.sha256)) cache.invalidate(part)
        for (const { sha256 } of release.manifest.parts) seen.add(sha256)
        return check(release)
      }
    },
    reportReadFailure(release) {
      for (const part of release.manifest.parts) cache.reportReadFailure(part, release.pathOf(part))
    },
    withFreshPaths: release => (cache.hasRepairs() ? withFreshPaths(root, release, cache.repairs) : release),
  }
}

/** What was found of the parts that were hashed, by their sha256. */
function createPartCache() {
  const valid = new Set<string>()
  /** Version of the file when it was last found valid. */
  const validVersions = new Map<string, string | undefined>()
  const damaged = new Map<string, Damage>()
  /** Parts that failed verification or changed since. */
  const doubtful = new Set<string>()
  const repaired = new Map<string, number>()
  return {
    isValid: ({ sha256 }: Part): boolean => valid.has(sha256),
    /** How many times a part was found valid after it had been doubtful. */
    repairs: ({ sha256 }: Part): number => repaired.get(sha256) ?? 0,
    hasRepairs: (): boolean => repaired.size > 0,
    /** Hashes a part, unless its file was found damaged and cannot be repaired yet. @returns what is wrong with it */
    async verify(part: Part, file: string): Promise<Damage | undefined> {
      const { sha256 } = part
      const [version, known] = [fileVersion(file), damaged.get(sha256)]
      if (known && version !== undefined && !mayBeRepaired(known)) return known
      const damage = await examine(part, file, version)
      if (damage) {
        damaged.set(sha256, damage)
        doubtful.add(sha256)
        return damage
      }
      valid.add(sha256)
      validVersions.set(sha256, version)
      if (doubtful.delete(sha256)) repaired.set(sha256, (repaired.get(sha256) ?? 0) + 1)
      return undefined
    },
    /** Marks a part as doubtful if its file is not the one that was hashed. */
    reportReadFailure({ sha256 }: Part, file: string): void {
      if (validVersions.has(sha256) && validVersions.get(sha256) !== fileVersion(file)) doubtful.add(sha256)
    },
    /** Forgets what was found of a part, so that it is hashed again. */
    invalidate({ sha256 }: Part): void {
      valid.delete(sha256)
      damaged.delete(sha256)
    },
  }
}

async function examine(part: Part, file: string, version: string | undefined): Promise<Damage | undefined> {
  const damage = (reason: string): Damage => ({ reason: `part ${part.sha256} ${reason}`, file, version })
  try {
    const found = await ifPresent(retryTransient(() => stat(file)))
    if (!found) return damage('is missing')
    if (found.size !== part.bytes) return damage(`has ${found.size} bytes instead of ${part.bytes}`)
    return (await sha256Of(file)) === part.sha256 ? undefined : damage('does not match its sha256')
  } catch (error) {
    if (isShortage(error)) throw error
    return { ...damage('cannot be read'), ...unread(error) }
  }
}

function withFreshPaths<R extends PastRelease>(root: string, release: R, repairs: (part: Part) => number): R {
  const { parts } = releasePaths(root, release.dataset.slug)
  const moved = new Map<string, string>()
  for (const part of release.manifest.parts) {
    // The engine caches by the text of a path, and two that differ by dots name one file.
    const path = `${parts}${sep}${`.${sep}`.repeat(repairs(part))}${part.sha256}.parquet`
    if (path !== release.pathOf(part)) moved.set(part.sha256, path)
  }
  return moved.size === 0 ? release : { ...release, pathOf: part => moved.get(part.sha256) ?? release.pathOf(part) }
}

/** What was found damaged of each dataset. */
export interface Damages {
  /** Replaces what was found of the dataset before. */
  set(slug: string, found: readonly Damage[]): void
  /** True once a damaged file may be whole: one `stat` each. */
  isRepaired(slug: string): boolean
}

export function createDamages(): Damages {
  const damages = new Map<string, readonly Damage[]>()
  return {
    set(slug, found) {
      if (found.length === 0) damages.delete(slug)
      else damages.set(slug, [...new Map(found.map(damage => [damage.file, damage])).values()])
    },
    isRepaired: slug => damages.get(slug)?.some(mayBeRepaired) ?? false,
  }
}
