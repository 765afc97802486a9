import type { Dataset } from '../../catalog/index.ts'
import { createLog } from '../core/index.ts'
import { readRecords, recordedReleases } from './beside-releases.ts'
import { readCurrent, readManifest, retainedReleases } from './files.ts'
import { createLineageReader, type LineageReader } from './lineage.ts'
import type { Manifest } from './manifest.ts'
import { withdrawalIds } from './withdrawals.ts'

/** served; ancestor: led to the served one; unused: withdrawn, killed before it was served, or replaced by rows it did not lead to. */
export const STANDINGS = ['served', 'ancestor', 'unused'] as const
export type Standing = (typeof STANDINGS)[number]

/** A release as `twmd releases list --json` prints it; null facts where its manifest is damaged. */
export interface ListedRelease {
  readonly release: string
  readonly served: boolean
  readonly standing: Standing
  readonly damaged: boolean
  readonly rows: number | null
  readonly data_as_of: string | null
  readonly synthetic: boolean | null
  readonly changes: Manifest['changes'] | null
  /** Kept for good; true where the record of that is damaged, too. */
  readonly pinned: boolean
  readonly pinned_at: string | null
  readonly pin_note: string | null
  readonly note: string | null
}

/**
 * The newest releases of a dataset on disk, oldest first. `served` is what `current` names, whether or not a running service answers from it.
 *
 * @param lineage one that is kept reads each manifest once
 */
export async function listReleases(
  root: string,
  dataset: Dataset,
  most = Number.POSITIVE_INFINITY,
  lineage: LineageReader = createLineageReader(root, createLog('silent')),
): Promise<readonly ListedRelease[]> {
  const { slug } = dataset
  const current = await readCurrent(root, slug).catch(() => null)
  const line = current === null ? [] : await lineage.of(dataset, current)
  const ancestors = new Set(line.map(({ release }) => release))
  const standing = (id: string): Standing => (id === current ? 'served' : ancestors.has(id) ? 'ancestor' : 'unused')
  const pinned = new Set(await recordedReleases(root, slug, 'pins'))
  const pins = await readRecords(root, slug, 'pins')
  const notes = await readRecords(root, slug, 'notes')
  const ids = await retainedReleases(root, slug)
  return Promise.all(
    ids.slice(-most).map(async release => {
      const manifest = await readManifest(root, slug, release).catch(() => null)
      const pin = pins.get(release)
      return {
        release,
        served: standing(release) === 'served',
        standing: standing(release),
        damaged: manifest === null,
        rows: manifest?.statistics.rows ?? null,
        data_as_of: manifest?.data_as_of ?? null,
        synthetic: manifest?.synthetic ?? null,
        changes: manifest?.changes ?? null,
        pinned: pinned.has(release),
        pinned_at: pin?.pinned_at ?? null,
        pin_note: pin?.note ?? null,
        note: notes.get(release)?.text ?? null,
      }
    }),
  )
}

/** How many releases of a dataset lie on disk, without reading one. */
export interface ReleaseCounts {
  /** The release that `current` names; null where it names none. */
  readonly named: string | null
  readonly kept: number
  readonly pinned: number
  /** Times that an earlier release was served again. */
  readonly withdrawn: number
  /** Let go: what they did is still told. */
  readonly retired: number
}

export async function countReleases(root: string, { slug }: Dataset): Promise<ReleaseCounts> {
  const [named, kept, pins, retired, withdrawals] = await Promise.all([
    readCurrent(root, slug).catch(() => null),
    retainedReleases(root, slug),
    recordedReleases(root, slug, 'pins'),
    recordedReleases(root, slug, 'retired'),
    withdrawalIds(root, slug),
  ])
  return { named, kept: kept.length, pinned: pins.length, withdrawn: withdrawals.length, retired: retired.length }
}
