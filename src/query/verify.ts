import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { Part } from '../../catalog/release.ts'
import type { Release } from './release.ts'

/** sha256 of a file, as hex. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash)
  return hash.digest('hex')
}

export interface Verifier {
  /** What is wrong with a release, or undefined. A part seen good before is not hashed again: a release that adds one part costs one hash. */
  check(release: Release): Promise<string | undefined>
  /** Hashes every part anew: disks forget silently, and DuckDB reads flipped bits without a word. */
  recheck(release: Release): Promise<string | undefined>
}

/** Compares the parts of releases with the sha256 their manifests name. */
export function openVerifier(): Verifier {
  const good = new Set<string>()
  const check = async (release: Release): Promise<string | undefined> => {
    for (const part of release.manifest.parts) {
      if (good.has(part.sha256)) continue
      const damage = await damageOf(part, release.pathOf(part))
      if (damage) return damage
      good.add(part.sha256)
    }
    return undefined
  }
  return {
    check,
    recheck(release) {
      for (const { sha256 } of release.manifest.parts) good.delete(sha256)
      return check(release)
    },
  }
}

async function damageOf(part: Part, path: string): Promise<string | undefined> {
  const size = await stat(path).then(
    ({ size }) => size,
    () => undefined,
  )
  if (size === undefined) return `part ${part.sha256} is missing`
  if (size !== part.bytes) return `part ${part.sha256} has ${size} bytes instead of ${part.bytes}`
  return (await sha256Of(path)) === part.sha256 ? undefined : `part ${part.sha256} does not match its sha256`
}
