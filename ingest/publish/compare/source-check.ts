import { rename, rm } from 'node:fs/promises'
import type { Dataset } from '../../../catalog/index.ts'
import { syncFolder, taipei, writeSynced } from '../../../src/core/index.ts'
import { quote } from '../../../src/engine/index.ts'
import {
  checksSource,
  isSourceCheck,
  type Manifest,
  readSourceCheck,
  releasePaths,
  type SourceCheck,
  silentDaysOf,
} from '../../../src/releases/index.ts'
import type { Relation } from '../check/relations.ts'
import { nameServed } from '../write/commit.ts'
import type { Workspace } from '../write/workspace.ts'

/**
 * Records that a batch had no new rows. For datasets without rows on many days, this proves that
 * the source was checked.
 */
export async function recordUnchanged(
  workspace: Workspace,
  dataset: Dataset,
  incoming: Relation,
  { release, synthetic, data_as_of }: Manifest,
): Promise<void> {
  const silentDays = silentDaysOf(dataset)
  if (silentDays === null || dataset.date === undefined) return
  const [batch] = await workspace.session.rows(`SELECT max(${quote(dataset.date)})::VARCHAR AS newest FROM ${incoming}`)
  const looked_at = taipei(workspace.clock())
  if (!checksSource(silentDays, looked_at, batch!['newest'] as string | null, data_as_of)) return
  await record(workspace, dataset, { release, synthetic, looked_at })
  // A running service notices the check only if `current` is written again.
  await nameServed(releasePaths(workspace.releases, dataset.slug), release)
}

/**
 * Records when the source was checked, because later corrections of old rows would hide the check.
 */
export async function recordRelease(workspace: Workspace, dataset: Dataset, manifest: Manifest): Promise<void> {
  const { release, synthetic, published_at } = manifest
  const silentDays = silentDaysOf(dataset)
  if (silentDays !== null && isSourceCheck(silentDays, manifest))
    await record(workspace, dataset, { release, synthetic, looked_at: published_at })
}

async function record(workspace: Workspace, { slug }: Dataset, check: SourceCheck): Promise<void> {
  const { home, sourceCheck } = releasePaths(workspace.releases, slug)
  await writeSynced(`${sourceCheck}.next`, `${JSON.stringify(check)}\n`)
  await rename(`${sourceCheck}.next`, sourceCheck)
  await syncFolder(home)
}

/** Deletes the check of a withdrawn release, because the check would count for later releases. */
export async function forgetSourceCheck({ releases }: Workspace, dataset: Dataset, release: string): Promise<void> {
  const check = await readSourceCheck(releases, dataset)
  if (check !== null && check.release > release) await rm(releasePaths(releases, dataset.slug).sourceCheck, { force: true })
}
