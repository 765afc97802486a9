import { statSync } from 'node:fs'
import { shouldRetry } from '../core/index.ts'
import { fileVersion, ifPresent, isAbort, isDiskError, isShortage, retryTransient, sha256Of } from './files.ts'
import type { PartFile } from './manifest.ts'

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
export const mayBeRepaired = ({ file, version = '', unreadAt }: Damage): boolean =>
  shouldRetry({ source: version, startedAt: unreadAt ?? 0, failed: unreadAt !== undefined }, fileVersion(file) ?? '', performance.now())

/** A part that was found valid. */
export interface ValidPart {
  readonly part: PartFile
  /** Of its dataset. */
  readonly slug: string
  readonly file: string
  /** Version of the file, from before it was hashed. */
  readonly version: string | undefined
  /** Verifications of any part up to this one. */
  readonly turn: number
}

/** Where a part is. */
export type Place = Pick<ValidPart, 'part' | 'slug' | 'file'>

/** What was found of the parts that were hashed, by their file. */
export function createPartCache() {
  const valid = new Map<string, ValidPart>()
  /** Those of `valid` that were hashed once. */
  const fresh = new Set<string>()
  /** Version of the file when it was last found valid. */
  const validVersions = new Map<string, string | undefined>()
  const damaged = new Map<string, Damage>()
  /** Parts that failed verification or changed since. */
  const doubtful = new Set<string>()
  const repaired = new Map<string, number>()
  /** How many times something was found, or forgotten, of a part. */
  const verdicts = new Map<string, number>()
  let turn = 0
  /** Repairs that a part begins with: more than any part had that is forgotten, which may come back at the same path. */
  let former = 0
  /** Hashes a part, unless its file was found damaged and cannot be repaired yet. @returns what is wrong with it */
  const verify = async ({ part, slug, file }: Place, hash: (file: string) => Promise<string>): Promise<Damage | undefined> => {
    const [version, known] = [fileVersion(file), damaged.get(file)]
    if (known && version !== undefined && !mayBeRepaired(known)) return known
    const before = verdicts.get(file) ?? 0
    const damage = await examine(part, file, version, hash)
    // The scrub takes seconds for a part: what was found or forgotten of it meanwhile is newer than what it read.
    if ((verdicts.get(file) ?? 0) !== before) return damaged.get(file) ?? verify({ part, slug, file }, sha256Of)
    verdicts.set(file, before + 1)
    const again = valid.delete(file)
    fresh.delete(file)
    if (damage) {
      damaged.set(file, damage)
      if (version !== undefined) doubtful.add(file)
      return damage
    }
    if (!validVersions.has(file)) {
      if (former > 0) repaired.set(file, former)
    } else if (validVersions.get(file) !== version) doubtful.add(file)
    damaged.delete(file)
    valid.set(file, { part, slug, file, version, turn: ++turn })
    if (!again) fresh.add(file)
    validVersions.set(file, version)
    if (doubtful.delete(file)) repaired.set(file, (repaired.get(file) ?? 0) + 1)
    return undefined
  }
  return {
    isValid: (file: string): boolean => valid.has(file),
    isTouched: (file: string): boolean => valid.has(file) && valid.get(file)!.version !== fileVersion(file),
    valid: (): Iterable<ValidPart> => valid.values(),
    turns: (): number => turn,
    due(since: number): ValidPart | undefined {
      for (const file of fresh) return valid.get(file)
      for (const oldest of valid.values()) return oldest.turn <= since ? oldest : undefined
      return undefined
    },
    /** How many times a part was found valid after it had been damaged or another file. */
    repairs: (file: string): number => repaired.get(file) ?? 0,
    hasRepairs: (): boolean => repaired.size > 0,
    verify,
    /** Forgets what was found of a part, so that it is hashed again. */
    invalidate(file: string): void {
      verdicts.set(file, (verdicts.get(file) ?? 0) + 1)
      valid.delete(file)
      fresh.delete(file)
      damaged.delete(file)
    },
    known: (): Iterable<string> => verdicts.keys(),
    /** Forgets a part whose file is gone, as if it had never been. */
    forget(file: string): void {
      if (doubtful.has(file) || repaired.has(file)) former = Math.max(former, (repaired.get(file) ?? 0) + 1)
      for (const table of [valid, fresh, validVersions, damaged, doubtful, repaired, verdicts]) table.delete(file)
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
    const found = await ifPresent(retryTransient(async () => statSync(file)))
    if (!found) return damage('is missing')
    if (found.size !== part.bytes) return damage(`has ${found.size} bytes instead of ${part.bytes}`)
    return (await hash(file)) === part.sha256 ? undefined : damage('does not match its sha256')
  } catch (error) {
    if (isShortage(error) || isAbort(error)) throw error
    return { ...damage('cannot be read'), ...unread(error) }
  }
}
