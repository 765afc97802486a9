import type { Dataset } from '../../catalog/index.ts'
import type { Log } from '../core/index.ts'
import { readRecords } from './beside-releases.ts'
import { fileVersion, isShortage, readManifest, readPointer, retainedReleases } from './files.ts'
import type { Check } from './integrity.ts'
import { ReleaseId, releasePaths } from './manifest.ts'
import { type Damage, unread } from './part-cache.ts'
import { type Release, readRelease } from './release.ts'

/** The release to serve, undefined where no release passes its check. */
export interface ValidRelease {
  readonly release: Release | undefined
  /** What keeps newer releases from being served. */
  readonly damages: readonly Damage[]
}

/**
 * The release `current` names or, where it is damaged, the nearest ancestor that passes, marked as degraded; undefined when none does. A
 * withdrawn release is no ancestor, except where the manifest that would tell is damaged itself. Real data never falls back to samples.
 *
 * @throws Error while the process is short of file descriptors or memory: nothing is known of the releases then
 */
export async function newestValidRelease(root: string, dataset: Dataset, check: Check, log: Log): Promise<ValidRelease> {
  const current = damagesOf([releasePaths(root, dataset.slug).current], 'names no release')
  const { named, ...missed } = await pointed(root, dataset)
  const pointer = current.map(damage => ({ ...damage, ...missed }))
  const retained = await retainedReleases(root, dataset.slug)
  const damages: Damage[] = retained.includes(named) ? [] : [...pointer, ...missing(root, dataset, named)]
  let next: string | null | undefined = retained.includes(named) ? named : retained.at(-1)
  let samples = false
  for (const id of retained.toReversed()) {
    if (!next || id > next) continue
    const { release, damage } = await examine(root, dataset, id, id !== named, check)
    if (id === named && release) samples = release.manifest.synthetic
    if (release && damage.length === 0 && release.manifest.synthetic === samples) return { release, damages }
    damages.push(...damage)
    const reason = damage[0]?.reason ?? 'holds samples and is not served for real data'
    log('release damaged', { dataset: dataset.slug, release: id, damage: reason })
    next = await keptParentOf(root, dataset, id)
  }
  return { release: undefined, damages }
}

/** The nearest ancestor that was not let go; null where there is none. */
async function keptParentOf(root: string, dataset: Dataset, id: string): Promise<string | null> {
  let parent = await parentOf(root, dataset, id)
  const retired = await readRecords(root, dataset.slug, 'retired')
  while (parent !== null && retired.has(parent)) parent = retired.get(parent)!.parent
  return parent
}

/** What `current` names; blank where it is absent or cannot be read. */
async function pointed(root: string, { slug }: Dataset): Promise<{ readonly named: string } & Pick<Damage, 'unreadAt'>> {
  try {
    return { named: ((await readPointer(root, slug)) ?? '').trim() }
  } catch (error) {
    if (isShortage(error)) throw error
    return { named: '', ...unread(error) }
  }
}

/** Null for a release that was made from none; its own id, and so whichever is next older, where its manifest does not tell. */
async function parentOf(root: string, { slug }: Dataset, id: string): Promise<string | null> {
  try {
    return (await readManifest(root, slug, id)).parent
  } catch (error) {
    if (isShortage(error)) throw error
    return id
  }
}

/** Files of a release that `current` names and that is not there. */
function missing(root: string, { slug }: Dataset, named: string): readonly Damage[] {
  return ReleaseId.safeParse(named).success ? damagesOf(filesOf(root, slug, named), `${named} is not there`) : []
}

/** A release as far as it can be read, and what is wrong with it. */
async function examine(root: string, dataset: Dataset, id: string, degraded: boolean, check: Check) {
  const files = damagesOf(filesOf(root, dataset.slug, id), '')
  try {
    const release = await readRelease(root, dataset, id, degraded)
    const damage = await check(release)
    return { release, damage: damage ? [damage] : [] }
  } catch (error) {
    if (isShortage(error)) throw error
    return { damage: files.map(file => ({ ...file, ...unread(error), reason: String(error) })) }
  }
}

/** Files that tell what a release is, apart from its parts. */
function filesOf(root: string, slug: string, id: string): readonly string[] {
  const paths = releasePaths(root, slug)
  return [paths.manifest(id), paths.seal(id), paths.spans(id)]
}

const damagesOf = (files: readonly string[], reason: string): readonly Damage[] =>
  files.map(file => ({ reason, file, version: fileVersion(file) }))
