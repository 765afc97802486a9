import { statSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import type { Dataset } from '../../catalog/index.ts'
import { Refusal } from '../../src/core/index.ts'
import { type Part, ReleaseId, releasePaths } from '../../src/releases/index.ts'
import type { Batch } from './batch.ts'
import { commitRelease, openStage, spansText } from './commit.ts'
import { layOut } from './layout.ts'
import { makeManifest, measureSpans, type Writing, type Written } from './manifest.ts'
import { writeParts } from './parts.ts'
import { measureReceived } from './received.ts'
import { recordRelease } from './source-check.ts'
import type { Workspace } from './workspace.ts'

type Paths = ReturnType<typeof releasePaths>

/**
 * Writes a batch that was checked and compared as a release, and makes it the served one. Killed at any point, the former release is
 * served, or the new one whole.
 *
 * @returns its id
 * @throws Refusal integrity when a part it takes over is damaged
 */
export async function writeRelease(workspace: Workspace, batch: Batch, writing: Writing): Promise<string> {
  const { dataset } = batch
  const paths = releasePaths(workspace.releases, dataset.slug)
  const now = workspace.clock()
  const release = nextRelease(dataset, now, await newestRelease(paths))
  const stage = await openStage(paths, release)
  try {
    const written = await writeRows(workspace, batch, writing, stage, paths)
    const { text, sha256 } = spansText(written.spans)
    const manifest = await makeManifest(workspace, batch, { ...writing, ...written, release, now, spansSha256: sha256 })
    await commitRelease(paths, stage, manifest, text)
    await recordRelease(workspace, dataset, manifest)
    return release
  } finally {
    await rm(stage, { recursive: true, force: true })
  }
}

/** Writes the rows as parts and measures them; nothing names the parts yet. */
async function writeRows(
  workspace: Workspace,
  batch: Batch,
  { parent, changes, slices }: Writing,
  stage: string,
  paths: Paths,
): Promise<Written> {
  const { dataset } = batch
  const before = parent?.manifest.statistics.rows ?? 0
  const layout = await layOut(workspace, batch, parent, before + changes.rows_added - changes.rows_removed)
  checkRetained(layout.retained, paths)
  const parts = [...layout.retained, ...(await writeParts(workspace, dataset, stage, paths))]
  const received = await measureReceived(workspace, batch, parent)
  const spans = { ...(await measureSpans(workspace, dataset, parent, layout, slices)), received }
  return { buckets: layout.buckets, parts, spans }
}

/** Parts taken over untouched are there and of their size; the service hashes them when it serves the release. @throws Refusal integrity */
function checkRetained(retained: readonly Part[], paths: Paths): void {
  for (const { sha256, bytes } of retained) {
    if (statSync(paths.part(sha256), { throwIfNoEntry: false })?.size !== bytes)
      throw new Refusal('integrity', {}, `Part ${sha256.slice(0, 12)} is damaged; restore it from a backup, then publish again.`)
  }
}

/** The greatest release id there is: the served one, or one whose publication was killed before it could be served. */
const newestRelease = async ({ home }: Paths): Promise<string | undefined> =>
  (await readdir(home))
    .filter(name => ReleaseId.safeParse(name).success)
    .sort()
    .at(-1)

/** Named by its millisecond, and later than the release before it even when the clock stepped back. */
function nextRelease({ status }: Dataset, now: Date, before: string | undefined): string {
  const name = (at: Date): string => at.toISOString().replace(/[-:.]/g, '') + (status === 'preview' ? '-preview' : '')
  if (before === undefined || name(now) > before) return name(now)
  const [, year, month, day, hour, minute, second, ms] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z/.exec(before)!.map(Number)
  return name(new Date(Date.UTC(year!, month! - 1, day, hour, minute, second, ms! + 1)))
}
