import { sep } from 'node:path'
import type { Damage } from './damage.ts'
import { openFindings } from './findings.ts'
import { type Part, releasePaths } from './manifest.ts'
import type { PastRelease } from './release.ts'

/** What is wrong with a release, or undefined. */
export type Check = (release: PastRelease) => Promise<Damage | undefined>

export interface Verifier {
  /** A part seen good before is not hashed again: a release that adds one part costs one hash. One that was not is, until its file is another. */
  readonly check: Check
  /** What is wrong with some parts of a release, or undefined. */
  checkParts(release: PastRelease, parts: readonly Part[]): Promise<Damage | undefined>
  /** A check that hashes every part once more: disks forget silently, and DuckDB reads flipped bits without a word. */
  anew(): Check
  /** Holds it possible that what was read of a release was not what is hashed, where a file was replaced since. */
  doubt(release: PastRelease): void
  /** The release, with parts that were mended under other paths: what the engine keeps of a path may be of the damaged file. */
  located<R extends PastRelease>(release: R): R
}

/** Compares the parts of releases with the sha256 their manifests name. */
export function createVerifier(root: string): Verifier {
  const findings = openFindings()
  const hashing = new Map<string, Promise<Damage | undefined>>()
  const checkParts = async (release: PastRelease, parts: readonly Part[]): Promise<Damage | undefined> => {
    for (const part of parts) {
      if (findings.isGood(part)) continue
      const running = hashing.get(part.sha256) ?? findings.look(part, release.pathOf(part)).finally(() => hashing.delete(part.sha256))
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
    anew() {
      const met = new Set<string>()
      return release => {
        for (const part of release.manifest.parts) if (!met.has(part.sha256)) findings.forget(part)
        for (const { sha256 } of release.manifest.parts) met.add(sha256)
        return check(release)
      }
    },
    doubt(release) {
      for (const part of release.manifest.parts) findings.doubt(part, release.pathOf(part))
    },
    located: release => (findings.wasMended() ? located(root, release, findings.mendings) : release),
  }
}

function located<R extends PastRelease>(root: string, release: R, mendings: (part: Part) => number): R {
  const { parts } = releasePaths(root, release.dataset.slug)
  const moved = new Map<string, string>()
  for (const part of release.manifest.parts) {
    // The engine caches by the text of a path, and two that differ by dots name one file.
    const path = `${parts}${sep}${`.${sep}`.repeat(mendings(part))}${part.sha256}.parquet`
    if (path !== release.pathOf(part)) moved.set(part.sha256, path)
  }
  return moved.size === 0 ? release : { ...release, pathOf: part => moved.get(part.sha256) ?? release.pathOf(part) }
}
