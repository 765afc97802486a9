import { mkdir, rename, rm } from 'node:fs/promises'
import type { Dataset } from '../../catalog/index.ts'
import { commandRefusal, syncFolder, taipei, writeSynced } from '../../src/core/index.ts'
import { type Note, type Pin, ReleaseId, type Retired, recordedReleases, recordFile, releasePaths } from '../../src/releases/index.ts'
import { keptRelease, type Workspace, withLock } from '../publish/index.ts'

/**
 * Pins a release, so that it is never deleted. A second pin replaces the note.
 *
 * @throws Refusal unknown_id, and conflict while the dataset is published
 */
export function pinRelease(workspace: Workspace, dataset: Dataset, name: string, note: string | null): Promise<Pin> {
  return locked(workspace, dataset, async () => {
    const release = await keptRelease(workspace.releases, dataset, name)
    const pin: Pin = { release, pinned_at: taipei(workspace.clock()), note }
    await writeRecord(workspace.releases, dataset, 'pins', release, pin)
    return pin
  })
}

/**
 * @returns id of the release
 * @throws Refusal conflict if the release is not pinned, or while the dataset is published
 */
export function unpinRelease(workspace: Workspace, dataset: Dataset, name: string): Promise<string> {
  return locked(workspace, dataset, async () => {
    // An operator may have deleted the pinned release by hand, so the id need not belong to a
    // stored release.
    const release = ReleaseId.safeParse(name).success ? name : await keptRelease(workspace.releases, dataset, name)
    const pinned = await recordedReleases(workspace.releases, dataset.slug, 'pins')
    if (!pinned.includes(release))
      throw commandRefusal(
        'conflict',
        { pinned },
        `Release ${release} of ${dataset.slug} is not pinned. Pinned releases: ${pinned.join(', ') || 'none'}.`,
      )
    await removeRecord(workspace.releases, dataset, 'pins', release)
    return release
  })
}

/**
 * Sets the public note.
 *
 * @throws Refusal unknown_id, conflict
 */
export function noteRelease(workspace: Workspace, dataset: Dataset, name: string, text: string): Promise<Note> {
  return locked(workspace, dataset, async () => {
    const release = await keptRelease(workspace.releases, dataset, name)
    const note: Note = { release, noted_at: taipei(workspace.clock()), text }
    await writeRecord(workspace.releases, dataset, 'notes', release, note)
    return note
  })
}

/**
 * Removes the public note, if any.
 *
 * @throws Refusal unknown_id, conflict
 */
export function unnoteRelease(workspace: Workspace, dataset: Dataset, name: string): Promise<string> {
  return locked(workspace, dataset, async () => {
    const release = await keptRelease(workspace.releases, dataset, name)
    await removeRecord(workspace.releases, dataset, 'notes', release)
    return release
  })
}

const locked = <T>({ releases }: Workspace, { slug }: Dataset, work: () => Promise<T>): Promise<T> =>
  withLock(releasePaths(releases, slug).home, work)

interface Records {
  readonly pins: Pin
  readonly notes: Note
  readonly retired: Retired
}

/** Writes a record atomically. */
export async function writeRecord<K extends keyof Records>(root: string, { slug }: Dataset, kind: K, release: string, record: Records[K]) {
  const file = recordFile(root, slug, kind, release)
  const { home, [kind]: folder } = releasePaths(root, slug)
  await mkdir(folder, { recursive: true })
  await writeSynced(`${file}.next`, `${JSON.stringify(record)}\n`)
  await rename(`${file}.next`, file)
  await syncFolder(folder)
  await syncFolder(home)
}

async function removeRecord(root: string, { slug }: Dataset, kind: keyof Records, release: string): Promise<void> {
  const { [kind]: folder } = releasePaths(root, slug)
  await rm(recordFile(root, slug, kind, release), { force: true })
  await syncFolder(folder).catch(() => {})
}
