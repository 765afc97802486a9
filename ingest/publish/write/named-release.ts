import type { Dataset } from '../../../catalog/index.ts'
import { commandRefusal } from '../../../src/core/index.ts'
import { type Manifest, readCurrent, readManifest, retainedReleases } from '../../../src/releases/index.ts'

/** Names of the served release and its parent, accepted instead of an id. */
export const SERVED = 'served'
export const PARENT = 'parent'

/**
 * @param name release id, `SERVED` or `PARENT`
 * @throws Refusal unknown_id for an unknown name
 */
export async function keptRelease(root: string, dataset: Dataset, name: string): Promise<string> {
  const { slug } = dataset
  const retained = await retainedReleases(root, slug)
  if (retained.length === 0)
    throw commandRefusal('unknown_id', {}, `${slug} has no release yet; publish one with twmd publish or twmd ingest.`)
  if (name === SERVED || name === PARENT) return inPlace(root, slug, name)
  if (retained.includes(name)) return name
  const near = [retained.findLast(id => id < name), retained.find(id => id > name)].filter(id => id !== undefined)
  throw commandRefusal(
    'unknown_id',
    { nearest: near },
    `There is no release ${name} of ${slug}. Nearest: ${near.join(', ')}. twmd releases list ${slug} shows all.`,
  )
}

async function inPlace(root: string, slug: string, name: typeof SERVED | typeof PARENT): Promise<string> {
  const served = await readCurrent(root, slug)
  if (served === null) throw commandRefusal('unknown_id', {}, `No release of ${slug} is served.`)
  if (name === SERVED) return served
  const { parent } = await manifestOf(root, slug, served)
  if (parent === null)
    throw commandRefusal('unknown_id', {}, `The served release ${served} of ${slug} has no predecessor. Give two releases to compare.`)
  if ((await retainedReleases(root, slug)).includes(parent)) return parent
  throw commandRefusal(
    'unknown_id',
    {},
    `The release ${parent}, the predecessor of the served release of ${slug}, was deleted. Give two releases to compare.`,
  )
}

/** @throws Refusal integrity if the manifest is damaged */
export const manifestOf = (root: string, slug: string, release: string): Promise<Manifest> =>
  readManifest(root, slug, release).catch(() => {
    throw commandRefusal(
      'integrity',
      { release },
      `The manifest of ${release} of ${slug} is damaged; restore it from a backup. twmd releases verify ${slug} lists every damaged file.`,
    )
  })
