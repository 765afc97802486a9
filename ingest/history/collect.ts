import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Dataset } from '../../catalog/index.ts'
import { syncFolder, taipei } from '../../src/core/index.ts'
import { type Manifest, partFiles, readManifest, readRecords, releasePaths, releasesOnDisk } from '../../src/releases/index.ts'
import { sweepParts, type Workspace, withLock } from '../publish/index.ts'
import { type Kept, neededReleases } from './needed.ts'
import { writeRecord } from './records.ts'

export interface Collection {
  readonly dataset: string
  /** Oldest first. */
  readonly kept: readonly Kept[]
  readonly retired: readonly string[]
  readonly removed: readonly string[]
  /** Retired releases whose files are not deleted yet, because reads may use them. */
  readonly waiting: readonly string[]
  /** Number and bytes of the parts that were deleted because no release contains them. */
  readonly freed: { readonly parts: number; readonly bytes: number }
  /** Why unused parts are not deleted. Null if they are deleted. */
  readonly held: 'damaged manifest' | 'unfinished pull' | null
}

export interface CollectOptions {
  /** Releases that were published or served since this time stay. Null retires no release. */
  readonly since: Date | null
  /** True to delete files without waiting for running reads. Running reads may then fail. */
  readonly immediately: boolean
}

/**
 * Milliseconds before a retired release is deleted. Reads take minutes, and signed URLs are valid
 * for an hour.
 */
export const GRACE_MS = 2 * 3_600_000

/**
 * Previews `collectReleases`.
 *
 * @throws Refusal integrity if the served release is unknown
 */
export async function planCollection(workspace: Workspace, dataset: Dataset, options: CollectOptions): Promise<Collection> {
  const { releases: root } = workspace
  const { slug } = dataset
  const all = await neededReleases(root, dataset, options.since)
  const [kept, due] = [all.filter(({ reason }) => reason !== null), all.filter(({ reason }) => reason === null)]
  const retired = due.map(({ release }) => release)
  const records = await readRecords(root, slug, 'retired')
  const now = workspace.clock().getTime()
  const isOver = (id: string): boolean => {
    const since = records.get(id)?.retired_at
    return options.immediately || (since !== undefined && now - Date.parse(since) >= GRACE_MS)
  }
  const onDisk = await releasesOnDisk(root, slug)
  const gone = onDisk.filter(id => retired.includes(id) || records.has(id))
  const removed = gone.filter(isOver)
  const left = onDisk.filter(id => !removed.includes(id))
  const held = existsSync(join(releasePaths(root, slug).home, '.pull')) ? 'unfinished pull' : await damagedAmong(root, slug, left)
  return {
    dataset: slug,
    kept,
    retired,
    removed,
    waiting: gone.filter(id => !isOver(id)),
    freed: held ? { parts: 0, bytes: 0 } : await namedOnlyBy(root, slug, removed, left),
    held,
  }
}

const damagedAmong = async (root: string, slug: string, ids: readonly string[]): Promise<Collection['held']> => {
  for (const id of ids) if ((await readManifest(root, slug, id).catch(() => null)) === null) return 'damaged manifest'
  return null
}

async function namedOnlyBy(root: string, slug: string, ids: readonly string[], others: readonly string[]): Promise<Collection['freed']> {
  const filesOf = async (id: string) => {
    const manifest: Manifest | null = await readManifest(root, slug, id).catch(() => null)
    return manifest ? partFiles(manifest) : []
  }
  const only = new Map<string, number>()
  for (const id of ids) for (const { sha256, bytes } of await filesOf(id)) only.set(sha256, bytes)
  for (const id of others) for (const { sha256 } of await filesOf(id)) only.delete(sha256)
  return { parts: only.size, bytes: [...only.values()].reduce((sum, bytes) => sum + bytes, 0) }
}

/**
 * Retires releases that are not needed, and deletes releases that were retired long enough ago. The
 * updates feed still lists retired releases. After a crash, all remaining releases are complete,
 * and the next call continues.
 *
 * @throws Refusal conflict while the dataset is published, integrity if the served release is
 * unknown
 */
export function collectReleases(workspace: Workspace, dataset: Dataset, options: CollectOptions): Promise<Collection> {
  const { releases: root } = workspace
  const paths = releasePaths(root, dataset.slug)
  return withLock(paths.home, async () => {
    const plan = await planCollection(workspace, dataset, options)
    for (const release of plan.retired) {
      const {
        dataset: slug,
        parent,
        published_at,
        data_as_of,
        synthetic,
        changes,
        statistics,
      } = await readManifest(root, dataset.slug, release)
      const { first_date } = statistics
      const told = { dataset: slug, release, parent, published_at, data_as_of, synthetic, changes, statistics: { first_date } }
      await writeRecord(root, dataset, 'retired', release, { ...told, retired_at: taipei(workspace.clock()) })
    }
    for (const release of plan.removed) {
      // The release is renamed first, because a half-deleted release would count as damaged and
      // block the deletion of parts.
      const aside = join(paths.home, `.stage-retired-${release}`)
      await rm(aside, { recursive: true, force: true })
      await rename(paths.release(release), aside)
      await syncFolder(paths.home)
      await rm(aside, { recursive: true, force: true })
    }
    if (plan.held !== null) return plan
    const freed = await sweepParts(paths)
    if (freed.parts > 0) await Promise.all([paths.parts, paths.months].filter(folder => existsSync(folder)).map(syncFolder))
    return { ...plan, freed }
  })
}
