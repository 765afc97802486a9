import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { ifPresent, isShortage, retryTransient } from './files.ts'
import { PublicationRecord, ReleaseId, releasePaths } from './manifest.ts'

/** Record of a pinned release, which is never retired. */
export const Pin = z.strictObject({
  release: ReleaseId,
  pinned_at: z.iso.datetime({ offset: true }),
  /** Reason that the operator entered. Null if none was entered. */
  note: z.string().nullable(),
})
export type Pin = z.infer<typeof Pin>

/** A note that an operator published on a release. */
export const Note = z.strictObject({ release: ReleaseId, noted_at: z.iso.datetime({ offset: true }), text: z.string().min(1).max(500) })
export type Note = z.infer<typeof Note>

/**
 * Record of a retired release. The release can no longer be requested, and its files are removed
 * later. The record contains the facts for the list of publications.
 */
export const Retired = PublicationRecord.extend({ retired_at: z.iso.datetime({ offset: true }) })
export type Retired = z.infer<typeof Retired>

/**
 * Schemas of the records of a release. Records are separate files because manifests are immutable.
 */
const SHAPES = { pins: Pin, notes: Note, retired: Retired } as const
export type RecordKind = keyof typeof SHAPES
type RecordOf<K extends RecordKind> = z.infer<(typeof SHAPES)[K]>

export const recordFile = (root: string, slug: string, kind: RecordKind, release: string): string =>
  join(releasePaths(root, slug)[kind], `${release}.json`)

/**
 * Returns the ids of the releases that have a record of this kind, oldest first. Unreadable records
 * are included.
 */
export async function recordedReleases(root: string, slug: string, kind: RecordKind): Promise<readonly string[]> {
  const names = (await ifPresent(retryTransient(() => readdir(releasePaths(root, slug)[kind])))) ?? []
  return names
    .map(name => name.replace(/\.json$/, ''))
    .filter(name => ReleaseId.safeParse(name).success)
    .sort()
}

/**
 * Reads the record of a release. Null if the record is missing or damaged.
 *
 * @throws Error for a resource shortage
 */
export async function readRecordOf<K extends RecordKind>(
  root: string,
  slug: string,
  kind: K,
  release: string,
): Promise<RecordOf<K> | null> {
  try {
    return SHAPES[kind].parse(JSON.parse(await readFile(recordFile(root, slug, kind, release), 'utf8'))) as RecordOf<K>
  } catch (error) {
    if (isShortage(error)) throw error
    return null
  }
}

/** Returns all readable records of a kind, keyed by release, oldest first. */
export async function readRecords<K extends RecordKind>(root: string, slug: string, kind: K): Promise<ReadonlyMap<string, RecordOf<K>>> {
  const releases = await recordedReleases(root, slug, kind)
  const records = await Promise.all(releases.map(release => readRecordOf(root, slug, kind, release)))
  return new Map(releases.flatMap((release, index) => (records[index] ? [[release, records[index]] as const] : [])))
}
