import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { Part } from '../../catalog/release.ts'
import type { PastRelease } from './release.ts'

/** sha256 of a file, as hex. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash)
  return hash.digest('hex')
}

export interface Verifier {
  /** What is wrong with a release, or undefined. A part seen good before is not hashed again: a release that adds one part costs one hash. */
  check(release: PastRelease): Promise<string | undefined>
  /** What is wrong with some parts of a release, or undefined. A part is hashed once, good or not, until its file is another. */
  checkParts(release: PastRelease, parts: readonly Part[]): Promise<string | undefined>
  /** Hashes every part anew: disks forget silently, and DuckDB reads flipped bits without a word. */
  recheck(release: PastRelease): Promise<string | undefined>
}

/** Compares the parts of releases with the sha256 their manifests name. */
export function openVerifier(): Verifier {
  const findings = openFindings()
  const hashing = new Map<string, Promise<string | undefined>>()
  const checkParts = async (release: PastRelease, parts: readonly Part[]): Promise<string | undefined> => {
    for (const part of parts) {
      if (findings.isGood(part)) continue
      const running = hashing.get(part.sha256) ?? findings.look(part, release.pathOf(part)).finally(() => hashing.delete(part.sha256))
      hashing.set(part.sha256, running)
      const damage = await running
      if (damage) return damage
    }
    return undefined
  }
  const check = (release: PastRelease): Promise<string | undefined> => checkParts(release, release.manifest.parts)
  return {
    check,
    checkParts,
    recheck(release) {
      for (const part of release.manifest.parts) findings.forget(part)
      return check(release)
    },
  }
}

/** What was found of parts that were hashed. */
function openFindings() {
  const good = new Set<string>()
  /** Marks of the files that were found damaged, by sha256. */
  const bad = new Map<string, string>()
  return {
    isGood: ({ sha256 }: Part): boolean => good.has(sha256),
    /** Hashes a part, but for a file that was found damaged and is still the same. @returns what is wrong with it */
    async look(part: Part, path: string): Promise<string | undefined> {
      const mark = await markOf(path)
      if (mark !== undefined && bad.get(part.sha256) === mark) return mismatch(part)
      const damage = await damageOf(part, path)
      if (!damage) good.add(part.sha256)
      if (damage && mark !== undefined) bad.set(part.sha256, mark)
      return damage
    },
    forget({ sha256 }: Part): void {
      good.delete(sha256)
      bad.delete(sha256)
    },
  }
}

const markOf = (path: string): Promise<string | undefined> =>
  stat(path, { bigint: true }).then(
    ({ mtimeNs, ino, size }) => `${mtimeNs}.${ino}.${size}`,
    () => undefined,
  )

const mismatch = ({ sha256 }: Part): string => `part ${sha256} does not match its sha256`

async function damageOf(part: Part, path: string): Promise<string | undefined> {
  const size = await stat(path).then(
    ({ size }) => size,
    () => undefined,
  )
  if (size === undefined) return `part ${part.sha256} is missing`
  if (size !== part.bytes) return `part ${part.sha256} has ${size} bytes instead of ${part.bytes}`
  return (await sha256Of(path)) === part.sha256 ? undefined : mismatch(part)
}
