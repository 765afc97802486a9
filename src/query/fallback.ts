import { readdir, readFile } from 'node:fs/promises'
import type { Dataset } from '../../catalog/dataset.ts'
import { ReleaseId, releasePaths } from '../../catalog/release.ts'
import type { Log } from '../core/log.ts'
import { type Release, readManifest, readRelease } from './release.ts'
import type { Verifier } from './verify.ts'

/** Ids of the releases on disk, oldest first. */
export async function keptReleases(root: string, slug: string): Promise<readonly string[]> {
  const names = await readdir(releasePaths(root, slug).home).catch(() => [])
  return names.filter(name => ReleaseId.safeParse(name).success).sort()
}

/**
 * The release `current` names or, where it is damaged, the nearest one it was made from that passes, marked as degraded; undefined when
 * none does. A release that was withdrawn is not among them, but where the manifest that says so is damaged itself. Real data never
 * falls back to samples.
 */
export async function newestGood(root: string, dataset: Dataset, verifier: Verifier, log: Log): Promise<Release | undefined> {
  const named = (await readFile(releasePaths(root, dataset.slug).current, 'utf8').catch(() => '')).trim()
  const kept = await keptReleases(root, dataset.slug)
  let next: string | null | undefined = kept.includes(named) ? named : kept.at(-1)
  let samples = false
  for (const id of kept.toReversed()) {
    if (!next || id > next) continue
    const release = await readRelease(root, dataset, id, id !== named).catch((error: unknown) => String(error))
    if (typeof release !== 'string' && id === named) samples = release.manifest.synthetic
    const damage = typeof release === 'string' ? release : await verifier.check(release)
    if (typeof release !== 'string' && damage === undefined && release.manifest.synthetic === samples) return release
    log('release damaged', { dataset: dataset.slug, release: id, damage: damage ?? 'holds samples and is not served for real data' })
    next = await parentOf(root, dataset, id)
  }
  return undefined
}

/** Null for a release that was made from none; itself, and so whichever is next older, where nobody can tell. */
const parentOf = (root: string, { slug }: Dataset, id: string): Promise<string | null> =>
  readManifest(root, slug, id).then(
    ({ parent }) => parent,
    () => id,
  )
