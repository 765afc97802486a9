import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { storedName } from '../../../catalog/index.ts'
import { DATASET } from './market.ts'

/** Which publications each release has in it, as its manifest says: the step in the name of its source, or that of the release it was made from. */
export interface KnownReleases {
  /** @throws Error for a release that is on no disk and was never looked at */
  stepOf(release: string): number
  /** Reads what is new on disk. @returns every release met so far, oldest first */
  look(): readonly string[]
}

export function knownReleases(dataDir: string): KnownReleases {
  const folder = join(dataDir, 'releases', storedName(DATASET))
  const known = new Map<string, number>()
  const read = (release: string): number => {
    const found = known.get(release)
    if (found !== undefined) return found
    const { sources, parent } = JSON.parse(readFileSync(join(folder, release, 'manifest.json'), 'utf8'))
    const own = sources.map(({ name }: { name: string }) => Number(/step-(\d+)/.exec(name)?.[1] ?? 0))
    const step = Math.max(...own, parent === null ? 0 : read(parent))
    known.set(release, step)
    return step
  }
  return {
    stepOf: read,
    look() {
      for (const name of readdirSync(folder)) if (/^\d{8}T\d{9}Z$/.test(name)) read(name)
      return [...known.keys()].sort()
    },
  }
}
