import type { Dataset } from '../../catalog/index.ts'
import { createLog } from '../../src/core/index.ts'
import { servedEvents } from '../../src/delta/index.ts'
import {
  createLineageReader,
  type Manifest,
  readCurrent,
  readManifest,
  recordedReleases,
  retainedReleases,
} from '../../src/releases/index.ts'

/**
 * Reasons to keep a release:
 * - `served`: the release is served
 * - `parent`: the release is served if the current one is damaged
 * - `pinned`: an operator pinned the release
 * - `within retention`: reads of an earlier time need the release
 * - `damaged`: the manifest is damaged
 */
export const REASONS = ['served', 'parent', 'pinned', 'within retention', 'damaged'] as const
export type Reason = (typeof REASONS)[number]

export interface Kept {
  readonly release: string
  /** Null if damaged. */
  readonly manifest: Manifest | null
  readonly reason: Reason | null
}

/**
 * Returns all stored releases, oldest first. The reason is null if the release may be deleted.
 *
 * @param since releases that were published or served since then stay; null retains all releases
 */
export async function neededReleases(root: string, dataset: Dataset, since: Date | null): Promise<readonly Kept[]> {
  const { slug } = dataset
  const ids = await retainedReleases(root, slug)
  const current = await readCurrent(root, slug)
  const manifests = new Map<string, Manifest | null>()
  for (const id of ids) manifests.set(id, await readManifest(root, slug, id).catch(() => null))
  const pinned = new Set(await recordedReleases(root, slug, 'pins'))
  const recent = since === null || current === null ? new Set(ids) : await servedSince(root, dataset, current, since)
  const parent = current === null ? null : (manifests.get(current)?.parent ?? null)
  const reasonOf = (id: string, manifest: Manifest | null): Reason | null => {
    if (id === current) return 'served'
    if (id === parent) return 'parent'
    if (pinned.has(id)) return 'pinned'
    if (manifest === null) return 'damaged'
    return recent.has(id) || new Date(manifest.published_at) >= since! ? 'within retention' : null
  }
  return ids.map(release => ({ release, manifest: manifests.get(release)!, reason: reasonOf(release, manifests.get(release)!) }))
}

/**
 * Returns the releases that were served since a time. Adds the newest release that was published
 * before that time, because as-of reads need it.
 */
async function servedSince(root: string, dataset: Dataset, current: string, since: Date): Promise<ReadonlySet<string>> {
  const log = createLog('silent')
  const events = await servedEvents(root, dataset, current, log)
  const still = events.filter((_, at) => (events[at + 1]?.servedAt ?? Number.POSITIVE_INFINITY) >= since.getTime())
  const line = await createLineageReader(root, log).entriesOf(dataset, current)
  const before = line.find(({ publication }) => publication && new Date(publication.published_at) < since)
  return new Set([...still.map(({ release }) => release), ...(before ? [before.release] : [])])
}
