import { readdir, readFile } from 'node:fs/promises'
import type { Dataset } from '../../catalog/index.ts'
import type { Log } from '../core/index.ts'
import type { Damage } from './damage.ts'
import { ReleaseId, releasePaths } from './manifest.ts'
import { fileVersion } from './mark.ts'
import { type Release, readManifest, readRelease } from './release.ts'
import type { Check } from './verify.ts'

/** Ids of the releases on disk, oldest first. */
export async function retainedReleases(root: string, slug: string): Promise<readonly string[]> {
  const names = await readdir(releasePaths(root, slug).home).catch(() => [])
  return names.filter(name => ReleaseId.safeParse(name).success).sort()
}

export interface Found {
  readonly release: Release | undefined
  /** What keeps newer releases from being served. */
  readonly damages: readonly Damage[]
}

/**
 * The release `current` names or, where it is damaged, the nearest one it was made from that passes, marked as degraded; undefined when
 * none does. A release that was withdrawn is not among them, but where the manifest that says so is damaged itself. Real data never
 * falls back to samples.
 */
export async function newestValidRelease(root: string, dataset: Dataset, check: Check, log: Log): Promise<Found> {
  const unnamed = filesStand([releasePaths(root, dataset.slug).current], 'names no release')
  const named = (await readFile(releasePaths(root, dataset.slug).current, 'utf8').catch(() => '')).trim()
  const kept = await retainedReleases(root, dataset.slug)
  const damages: Damage[] = kept.includes(named) ? [] : [...unnamed, ...missing(root, dataset, named)]
  let next: string | null | undefined = kept.includes(named) ? named : kept.at(-1)
  let samples = false
  for (const id of kept.toReversed()) {
    if (!next || id > next) continue
    const { release, damage } = await examine(root, dataset, id, id !== named, check)
    if (id === named && release) samples = release.manifest.synthetic
    if (release && damage.length === 0 && release.manifest.synthetic === samples) return { release, damages }
    damages.push(...damage)
    const said = damage[0]?.said ?? 'holds samples and is not served for real data'
    log('release damaged', { dataset: dataset.slug, release: id, damage: said })
    next = await parentOf(root, dataset, id)
  }
  return { release: undefined, damages }
}

/** Null for a release that was made from none; itself, and so whichever is next older, where nobody can tell. */
const parentOf = (root: string, { slug }: Dataset, id: string): Promise<string | null> =>
  readManifest(root, slug, id).then(
    ({ parent }) => parent,
    () => id,
  )

/** Files of a release that `current` names and that is not there. */
function missing(root: string, { slug }: Dataset, named: string): readonly Damage[] {
  return ReleaseId.safeParse(named).success ? filesStand(filesOf(root, slug, named), `${named} is not there`) : []
}

/** A release as far as it can be read, and what is wrong with it. */
async function examine(root: string, dataset: Dataset, id: string, degraded: boolean, check: Check) {
  const state = filesStand(filesOf(root, dataset.slug, id), '')
  try {
    const release = await readRelease(root, dataset, id, degraded)
    const damage = await check(release)
    return { release, damage: damage ? [damage] : [] }
  } catch (error) {
    return { damage: state.map(file => ({ ...file, said: String(error) })) }
  }
}

/** Files that tell what a release is, its parts aside. */
function filesOf(root: string, slug: string, id: string): readonly string[] {
  const paths = releasePaths(root, slug)
  return [paths.manifest(id), paths.seal(id), paths.spans(id)]
}

const filesStand = (files: readonly string[], said: string): readonly Damage[] =>
  files.map(file => ({ said, file, mark: fileVersion(file) }))
