import { statSync } from 'node:fs'
import { shouldRetry } from '../core/index.ts'
import { fileVersion, ifPresent, isAbort, isDiskError, isShortage, retryTransient, sha256Of } from './files.ts'
import type { PartFile } from './manifest.ts'

/** A damaged or missing file of a release. */
export interface Damage {
  readonly reason: string
  readonly file: string
  /** Undefined if the file was missing. */
  readonly version: string | undefined
  /**
   * Time of a disk error, in ms of the monotonic clock. A retry may succeed. Absent for other
   * damage.
   */
  readonly unreadAt?: number
}

export const readErrorOf = (error: unknown): Pick<Damage, 'unreadAt'> => (isDiskError(error) ? { unreadAt: performance.now() } : {})

/**
 * True if the damaged file changed, or some time has passed since a disk error. Calls `stat` once.
 */
export const mayBeRepaired = ({ file, version = '', unreadAt }: Damage): boolean =>
  shouldRetry({ source: version, startedAt: unreadAt ?? 0, failed: unreadAt !== undefined }, fileVersion(file) ?? '', performance.now())

export interface ValidPart {
  readonly part: PartFile
  readonly slug: string
  readonly file: string
  /** Version of the file, read just before hashing. */
  readonly version: string | undefined
  /** Sequence number of the last verification. */
  readonly sequence: number
}

export type PartLocation = Pick<ValidPart, 'part' | 'slug' | 'file'>

export function createPartCache() {
  const valid = new Map<string, ValidPart>()
  /** Intact files that were hashed only once. */
  const hashedOnce = new Set<string>()
  const validVersions = new Map<string, string | undefined>()
  const damaged = new Map<string, Damage>()
  /**
   * Files that failed a verification or have changed since. Passing a later verification counts as
   * a repair.
   */
  const suspect = new Set<string>()
  const repaired = new Map<string, number>()
  /**
   * Changes with every result. If this number changes during a verification, the result is
   * outdated.
   */
  const revisions = new Map<string, number>()
  let turn = 0
  /**
   * Initial number of repairs of a file. Greater than the number of any removed file, because a
   * removed file may return at the same path.
   */
  let initialRepairs = 0
  /**
   * Does not hash a damaged file again until the file changes.
   * @returns the damage; undefined if the file is intact
   */
  const verify = async ({ part, slug, file }: PartLocation, hash: (file: string) => Promise<string>): Promise<Damage | undefined> => {
    const version = fileVersion(file)
    const knownDamage = damaged.get(file)
    if (knownDamage && version !== undefined && !mayBeRepaired(knownDamage)) return knownDamage
    const before = revisions.get(file) ?? 0
    const damage = await examine(part, file, version, hash)
    // Reading takes several seconds in the background, so another result may be newer.
    if ((revisions.get(file) ?? 0) !== before) return damaged.get(file) ?? verify({ part, slug, file }, sha256Of)
    revisions.set(file, before + 1)
    const wasValid = valid.delete(file)
    hashedOnce.delete(file)
    if (damage) {
      damaged.set(file, damage)
      if (version !== undefined) suspect.add(file)
      return damage
    }
    if (!validVersions.has(file)) {
      if (initialRepairs > 0) repaired.set(file, initialRepairs)
    } else if (validVersions.get(file) !== version) suspect.add(file)
    damaged.delete(file)
    valid.set(file, { part, slug, file, version, sequence: ++turn })
    if (!wasValid) hashedOnce.add(file)
    validVersions.set(file, version)
    if (suspect.delete(file)) repaired.set(file, (repaired.get(file) ?? 0) + 1)
    return undefined
  }
  return {
    isValid: (file: string): boolean => valid.has(file),
    isTouched: (file: string): boolean => valid.has(file) && valid.get(file)!.version !== fileVersion(file),
    valid: (): Iterable<ValidPart> => valid.values(),
    turns: (): number => turn,
    due(since: number): ValidPart | undefined {
      for (const file of hashedOnce) return valid.get(file)
      for (const oldest of valid.values()) return oldest.sequence <= since ? oldest : undefined
      return undefined
    },
    repairs: (file: string): number => repaired.get(file) ?? 0,
    hasRepairs: (): boolean => repaired.size > 0,
    verify,
    /** The file is hashed again before the next use. */
    invalidate(file: string): void {
      revisions.set(file, (revisions.get(file) ?? 0) + 1)
      valid.delete(file)
      hashedOnce.delete(file)
      damaged.delete(file)
    },
    known: (): Iterable<string> => revisions.keys(),
    forget(file: string): void {
      if (suspect.has(file) || repaired.has(file)) initialRepairs = Math.max(initialRepairs, (repaired.get(file) ?? 0) + 1)
      for (const table of [valid, hashedOnce, validVersions, damaged, suspect, repaired, revisions]) table.delete(file)
    },
  }
}

async function examine(
  part: PartFile,
  file: string,
  version: string | undefined,
  hash: (file: string) => Promise<string>,
): Promise<Damage | undefined> {
  const damage = (reason: string): Damage => ({ reason: `part ${part.sha256} ${reason}`, file, version })
  try {
    const stat = await ifPresent(retryTransient(async () => statSync(file)))
    if (!stat) return damage('is missing')
    if (stat.size !== part.bytes) return damage(`has ${stat.size} bytes instead of ${part.bytes}`)
    return (await hash(file)) === part.sha256 ? undefined : damage('does not match its sha256')
  } catch (error) {
    if (isShortage(error) || isAbort(error)) throw error
    return { ...damage('cannot be read'), ...readErrorOf(error) }
  }
}
