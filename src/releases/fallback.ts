import type { Dataset } from '../../catalog/index.ts'
import type { Log } from '../core/index.ts'
import { fileVersion, isShortage, readManifest, readPointer, retainedReleases } from './files.ts'
import type { Check } from './integrity.ts'
import { ReleaseId, releasePaths } from './manifest.ts'
import { type Damage, readErrorOf } from './part-cache.ts'
import { type Release, readRelease } from './release.ts'
import { readRecords } from './release-records.ts'

/** `release` is undefined if no release passes the check. */
export interface ValidRelease {
  readonly release: Release | undefined
  readonly damages: readonly Damage[]
}

/**
 * Returns the release that the file `current` names. If that release is damaged, returns the
 * nearest valid ancestor, marked as degraded. Sample data never replaces real data.
 * @throws Error if the process lacks file descriptors or memory
 */
export async function newestValidRelease(root: string, dataset: Dataset, check: Check, log: Log): Promise<ValidRelease> {
  const pointerDamages = damagesOf([releasePaths(root, dataset.slug).current], 'does not name a release')
  const { pointerTarget, ...readError } = await readPointerTarget(root, dataset)
  const withReadError = pointerDamages.map(damage => ({ ...damage, ...readError }))
  const retained = await retainedReleases(root, dataset.slug)
  const damages: Damage[] = retained.includes(pointerTarget) ? [] : [...withReadError, ...missingRelease(root, dataset, pointerTarget)]
  let next: string | null | undefined = retained.includes(pointerTarget) ? pointerTarget : retained.at(-1)
  let samples = false
  for (const id of retained.toReversed()) {
    if (!next || id > next) continue
    const { release, damage } = await examine(root, dataset, id, id !== pointerTarget, check)
    if (id === pointerTarget && release) samples = release.manifest.synthetic
    if (release && damage.length === 0 && release.manifest.synthetic === samples) return { release, damages }
    damages.push(...damage)
    const reason = damage[0]?.reason ?? 'contains sample data, which never replaces real data'
    log('release damaged', { dataset: dataset.slug, release: id, damage: reason })
    next = await retainedParentOf(root, dataset, id)
  }
  return { release: undefined, damages }
}

/** Returns the nearest ancestor that is not retired. Null if every ancestor is retired. */
async function retainedParentOf(root: string, dataset: Dataset, id: string): Promise<string | null> {
  let parent = await parentOf(root, dataset, id)
  const retired = await readRecords(root, dataset.slug, 'retired')
  while (parent !== null && retired.has(parent)) parent = retired.get(parent)!.parent
  return parent
}

/** Returns an empty text if the file is missing or unreadable. */
async function readPointerTarget(root: string, { slug }: Dataset): Promise<{ readonly pointerTarget: string } & Pick<Damage, 'unreadAt'>> {
  try {
    return { pointerTarget: ((await readPointer(root, slug)) ?? '').trim() }
  } catch (error) {
    if (isShortage(error)) throw error
    return { pointerTarget: '', ...readErrorOf(error) }
  }
}

/**
 * If the manifest is damaged, returns the release itself, so that the caller tries all older
 * releases.
 */
async function parentOf(root: string, { slug }: Dataset, id: string): Promise<string | null> {
  try {
    return (await readManifest(root, slug, id)).parent
  } catch (error) {
    if (isShortage(error)) throw error
    return id
  }
}

function missingRelease(root: string, { slug }: Dataset, pointerTarget: string): readonly Damage[] {
  return ReleaseId.safeParse(pointerTarget).success ? damagesOf(filesOf(root, slug, pointerTarget), `${pointerTarget} does not exist`) : []
}

/** The result has no `release` if the release cannot be read. */
async function examine(root: string, dataset: Dataset, id: string, degraded: boolean, check: Check) {
  const files = damagesOf(filesOf(root, dataset.slug, id), '')
  try {
    const release = await readRelease(root, dataset, id, degraded, { yields: true })
    const damage = await check(release)
    return { release, damage: damage ? [damage] : [] }
  } catch (error) {
    if (isShortage(error)) throw error
    return { damage: files.map(file => ({ ...file, ...readErrorOf(error), reason: String(error) })) }
  }
}

function filesOf(root: string, slug: string, id: string): readonly string[] {
  const paths = releasePaths(root, slug)
  return [paths.manifest(id), paths.seal(id), paths.spans(id)]
}

const damagesOf = (files: readonly string[], reason: string): readonly Damage[] =>
  files.map(file => ({ reason, file, version: fileVersion(file) }))
