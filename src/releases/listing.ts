import type { Dataset } from '../../catalog/index.ts'
import { createLog } from '../core/index.ts'
import { readCurrent, readManifest, retainedReleases } from './files.ts'
import { createLineageReader, type LineageReader } from './lineage.ts'
import type { Manifest } from './manifest.ts'
import { readRecords, recordedReleases } from './release-records.ts'
import { withdrawalIds } from './withdrawals.ts'

/**
 * `ancestor`: an ancestor of the served release. `unused`: withdrawn, never served, or replaced by
 * an unrelated release.
 */
export const STANDINGS = ['served', 'ancestor', 'unused'] as const
export type Standing = (typeof STANDINGS)[number]

/** Entry of `twmd releases list --json`. A damaged manifest leaves fields null. */
export interface ListedRelease {
  readonly release: string
  readonly served: boolean
  readonly standing: Standing
  readonly damaged: boolean
  readonly rows: number | null
  readonly data_as_of: string | null
  readonly synthetic: boolean | null
  readonly changes: Manifest['changes'] | null
  /** True even if the pin record is damaged. */
  readonly pinned: boolean
  readonly pinned_at: string | null
  readonly pin_note: string | null
  readonly note: string | null
}

/**
 * Lists the newest releases on disk, oldest first. The file `current` determines which release is
 * served.
 * @param most the maximum number of releases
 * @param lineage pass the same reader to several calls to read each manifest once
 */
export async function listReleases(
  root: string,
  dataset: Dataset,
  most = Number.POSITIVE_INFINITY,
  lineage: LineageReader = createLineageReader(root, createLog('silent')),
): Promise<readonly ListedRelease[]> {
  const { slug } = dataset
  const current = await readCurrent(root, slug).catch(() => null)
  const entries = current === null ? [] : await lineage.entriesOf(dataset, current)
  const ancestors = new Set(entries.map(({ release }) => release))
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

export interface ReleaseCounts {
  /** Release in the file `current`. Null if the file is missing or damaged. */
  readonly named: string | null
  readonly retained: number
  readonly pinned: number
  readonly withdrawn: number
  readonly retired: number
}

/** Reads no manifests. */
export async function countReleases(root: string, { slug }: Dataset): Promise<ReleaseCounts> {
  const [named, retained, pins, retired, withdrawals] = await Promise.all([
    readCurrent(root, slug).catch(() => null),
    retainedReleases(root, slug),
    recordedReleases(root, slug, 'pins'),
    recordedReleases(root, slug, 'retired'),
    withdrawalIds(root, slug),
  ])
  return { named, retained: retained.length, pinned: pins.length, withdrawn: withdrawals.length, retired: retired.length }
}
