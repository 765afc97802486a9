import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { ifPresent, isShortage, retryTransient } from './files.ts'
import { PublicationRecord, ReleaseId, releasePaths } from './manifest.ts'

export const Pin = z.strictObject({
  release: ReleaseId,
  pinned_at: z.iso.datetime({ offset: true }),
  note: z.string().nullable(),
})
export type Pin = z.infer<typeof Pin>

export const Note = z.strictObject({ release: ReleaseId, noted_at: z.iso.datetime({ offset: true }), text: z.string().min(1).max(500) })
export type Note = z.infer<typeof Note>

/**
 * Files of a retired release are removed later. The record contains the facts for the list of
 * publications.
 */
export const Retired = PublicationRecord.extend({ retired_at: z.iso.datetime({ offset: true }) })
export type Retired = z.infer<typeof Retired>

/** Records are separate files, because manifests are immutable. */
const SHAPES = { pins: Pin, notes: Note, retired: Retired } as const
export type RecordKind = keyof typeof SHAPES
type RecordOf<K extends RecordKind> = z.infer<(typeof SHAPES)[K]>

export const recordFile = (root: string, slug: string, kind: RecordKind, release: string): string =>
  join(releasePaths(root, slug)[kind], `${release}.json`)

/** Oldest first, including unreadable records. */
export async function recordedReleases(root: string, slug: string, kind: RecordKind): Promise<readonly string[]> {
  const names = (await ifPresent(retryTransient(() => readdir(releasePaths(root, slug)[kind])))) ?? []
  return names
    .map(name => name.replace(/\.json$/, ''))
    .filter(name => ReleaseId.safeParse(name).success)
    .sort()
}

/**
 * Null if the record is missing or damaged.
 * @throws Error if the process lacks file descriptors or memory
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

/** Returns all readable records by release, oldest first. */
export async function readRecords<K extends RecordKind>(root: string, slug: string, kind: K): Promise<ReadonlyMap<string, RecordOf<K>>> {
  const releases = await recordedReleases(root, slug, kind)
  const records = await Promise.all(releases.map(release => readRecordOf(root, slug, kind, release)))
  return new Map(releases.flatMap((release, index) => (records[index] ? [[release, records[index]] as const] : [])))
}
