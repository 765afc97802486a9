import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { type Dataset, schemaHash } from '../../../catalog/index.ts'
import { commandRefusal, createLog, type Refusal } from '../../../src/core/index.ts'
import { failureReason } from '../../../src/engine/index.ts'
import {
  createLineageReader,
  createVerifier,
  type LineageEntry,
  type Manifest,
  readCurrent,
  readManifest,
  readRelease,
  releasePaths,
} from '../../../src/releases/index.ts'
import type { BatchFault } from '../check/batch.ts'
import { forgetSourceCheck } from '../compare/source-check.ts'
import { nameServed } from './commit.ts'
import { forgetJoins } from './join-log.ts'
import { withLock } from './lock.ts'
import { keptRelease } from './named-release.ts'
import { logServed } from './table-log.ts'
import { recordWithdrawal } from './withdrawal.ts'
import type { Workspace } from './workspace.ts'

export interface ServedAgain {
  readonly manifest: Manifest
  /** Previous release. Null if there was none, or if `current` was missing or damaged. */
  readonly former: string | null
  /**
   * Withdrawn releases, oldest first: the previously served release and its ancestors, except
   * ancestors of the release that is served now.
   */
  readonly withdrawn: readonly string[]
  readonly notices: readonly BatchFault[]
}

/**
 * Serves a retained release again, after verifying all its bytes. Readers see the previous release
 * or the retained one. After a crash, one of the two is served. The next publication merges with
 * the served release.
 *
 * @throws Refusal unknown_id if the release is not retained, integrity if it is damaged, conflict
 * if it is already served, has other columns than the catalog, or another process publishes the
 * dataset
 */
export function serveAgain(workspace: Workspace, dataset: Dataset, release: string): Promise<ServedAgain> {
  const paths = releasePaths(workspace.releases, dataset.slug)
  return withLock(paths.home, async () => {
    const former = existsSync(paths.current) ? await readCurrent(workspace.releases, dataset.slug).catch(() => null) : null
    await keptRelease(workspace.releases, dataset, release)
    if (release === former) throw commandRefusal('conflict', {}, `Release ${release} of ${dataset.slug} is already served.`)
    const manifest = await checkWhole(workspace, dataset, release)
    const [left, right] = await Promise.all([former, release].map(id => entriesOf(workspace, dataset, id)))
    // The join log and the source check are deleted before the release is served. After a crash
    // between the steps, the join and the source check are repeated, which is harmless.
    forgetJoins(workspace.captures, dataset.slug)
    await forgetSourceCheck(workspace, dataset, release)
    const withdrawn = await recordWithdrawal(workspace, dataset, { manifest, former, left: left!, right: right! })
    await nameServed(paths, release)
    return { manifest, former, withdrawn, notices: await logServed(workspace, dataset) }
  })
}

const entriesOf = async (
  { releases }: Pick<Workspace, 'releases'>,
  dataset: Dataset,
  release: string | null,
): Promise<readonly LineageEntry[]> =>
  release === null ? [] : createLineageReader(releases, createLog('silent')).entriesOf(dataset, release)

/** Verifies the manifest, the spans and all parts by sha256. */
async function checkWhole({ releases }: Workspace, dataset: Dataset, release: string): Promise<Manifest> {
  const { slug } = dataset
  const damaged = (what: string): Refusal =>
    commandRefusal(
      'integrity',
      { release },
      `Release ${release} of ${slug} is damaged: ${what}. Restore it from a backup, or serve another; twmd releases verify ${slug} lists every damaged file.`,
    )
  const manifest = await readManifest(releases, slug, release).catch(error => Promise.reject(damaged(causeOf(error))))
  if (manifest.schema_hash !== schemaHash(dataset))
    throw commandRefusal(
      'conflict',
      { release },
      `Release ${release} of ${slug} cannot be served: it has other columns than the catalog. Publish its files again.`,
    )
  const whole = await readRelease(releases, dataset, release, false).catch(error => Promise.reject(damaged(causeOf(error))))
  const damage = await createVerifier(releases).check(whole)
  if (damage) throw damaged(damage.reason)
  return manifest
}

const causeOf = (error: NodeJS.ErrnoException): string =>
  error.code === 'ENOENT' && error.path ? `its ${basename(error.path)} is missing` : failureReason(error)
