import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { ifPresent, isShortage, retryTransient } from './files.ts'
import { PublicationRecord, ReleaseId, releasePaths } from './manifest.ts'

/** An operator keeps a release for good. */
export const Pin = z.strictObject({
  release: ReleaseId,
  pinned_at: z.iso.datetime({ offset: true }),
  /** Why; null where that was not said. */
  note: z.string().nullable(),
})
export type Pin = z.infer<typeof Pin>

/** What an operator says of a release, to whoever reads it. */
export const Note = z.strictObject({ release: ReleaseId, noted_at: z.iso.datetime({ offset: true }), text: z.string().min(1).max(500) })
export type Note = z.infer<typeof Note>

/** A release that was let go: nobody can name it any more, and its files are removed some time later. What it did is still told. */
export const Retired = PublicationRecord.extend({ retired_at: z.iso.datetime({ offset: true }) })
export type Retired = z.infer<typeof Retired>

/** What is recorded of releases beside them, a file each, since no manifest ever changes. */
const SHAPES = { pins: Pin, notes: Note, retired: Retired } as const
export type RecordKind = keyof typeof SHAPES
type RecordOf<K extends RecordKind> = z.infer<(typeof SHAPES)[K]>

/** Where the record of a release is. */
export const recordFile = (root: string, slug: string, kind: RecordKind, release: string): string =>
  join(releasePaths(root, slug)[kind], `${release}.json`)

/** Releases that have a record of a kind, readable or not, oldest first. */
export async function recordedReleases(root: string, slug: string, kind: RecordKind): Promise<readonly string[]> {
  const names = (await ifPresent(retryTransient(() => readdir(releasePaths(root, slug)[kind])))) ?? []
  return names
    .map(name => name.replace(/\.json$/, ''))
    .filter(name => ReleaseId.safeParse(name).success)
    .sort()
}

/** The record of a release; null where there is none, or it is damaged. @throws Error while the process is short of something */
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

/** Every readable record of a kind, by its release, oldest first. */
export async function readRecords<K extends RecordKind>(root: string, slug: string, kind: K): Promise<ReadonlyMap<string, RecordOf<K>>> {
  const releases = await recordedReleases(root, slug, kind)
  const records = await Promise.all(releases.map(release => readRecordOf(root, slug, kind, release)))
  return new Map(releases.flatMap((release, at) => (records[at] ? [[release, records[at]] as const] : [])))
}
