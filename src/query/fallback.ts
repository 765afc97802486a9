import { readdir, readFile } from 'node:fs/promises'
import type { Dataset } from '../../catalog/dataset.ts'
import { ReleaseId, releasePaths } from '../../catalog/release.ts'
import type { Log } from '../core/log.ts'
import { type Release, readRelease } from './release.ts'
import type { Verifier } from './verify.ts'

/** Ids of the releases on disk, oldest first. */
export async function keptReleases(root: string, slug: string): Promise<readonly string[]> {
  const names = await readdir(releasePaths(root, slug).home).catch(() => [])
  return names.filter(name => ReleaseId.safeParse(name).success).sort()
}

/**
 * The release `current` names or, where it is damaged, the newest older one that passes, marked as degraded; undefined when none does.
 * Real data never falls back to samples.
 */
export async function newestGood(root: string, dataset: Dataset, verifier: Verifier, log: Log): Promise<Release | undefined> {
  const named = (await readFile(releasePaths(root, dataset.slug).current, 'utf8').catch(() => '')).trim()
  const kept = await keptReleases(root, dataset.slug)
  const candidates = kept.includes(named) ? kept.slice(0, kept.indexOf(named) + 1) : kept
  let samples = false
  for (const id of candidates.toReversed()) {
    const release = await readRelease(root, dataset, id, id !== named).catch((error: unknown) => String(error))
    if (typeof release !== 'string' && id === named) samples = release.manifest.synthetic
    const damage = typeof release === 'string' ? release : await verifier.check(release)
    if (typeof release !== 'string' && damage === undefined && release.manifest.synthetic === samples) return release
    log('release damaged', { dataset: dataset.slug, release: id, damage: damage ?? 'holds samples and is not served for real data' })
  }
  return undefined
}
