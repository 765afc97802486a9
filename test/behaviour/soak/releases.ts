import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { storedName } from '../../../catalog/index.ts'
import { DATASET } from './market.ts'

/**
 * Maps releases to publication steps, according to their manifests. The step is in the name of the
 * source, or is that of the release from which a release was made.
 */
export interface KnownReleases {
  /** @throws Error for a release that was never on disk */
  stepOf(release: string): number
  /**
   * Reads new releases from disk.
   * @returns all releases so far, oldest first
   */
  scan(): readonly string[]
}

export function knownReleases(dataDir: string): KnownReleases {
  const folder = join(dataDir, 'releases', storedName(DATASET))
  const steps = new Map<string, number>()
  const read = (release: string): number => {
    const found = steps.get(release)
    if (found !== undefined) return found
    const { sources, parent } = JSON.parse(readFileSync(join(folder, release, 'manifest.json'), 'utf8'))
    const own = sources.map(({ name }: { name: string }) => Number(/step-(\d+)/.exec(name)?.[1] ?? 0))
    const step = Math.max(...own, parent === null ? 0 : read(parent))
    steps.set(release, step)
    return step
  }
  return {
    stepOf: read,
    scan() {
      for (const name of readdirSync(folder)) if (/^\d{8}T\d{9}Z$/.test(name)) read(name)
      return [...steps.keys()].sort()
    },
  }
}
