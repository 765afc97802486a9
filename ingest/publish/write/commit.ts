import { existsSync, statSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Dataset } from '../../../catalog/index.ts'
import { syncFolder, writeSynced } from '../../../src/core/index.ts'
import { Manifest, type ParsedFiles, type ReleasePaths as Paths, ReleaseId, type Spans, sha256OfText } from '../../../src/releases/index.ts'

const STAGE = '.stage-'

/** Creates an empty staging folder, after removing what a killed publication left behind. */
export async function createStage(paths: Paths, release: string): Promise<string> {
  const { home } = paths
  await mkdir(home, { recursive: true })
  const left = (await readdir(home)).filter(name => name.startsWith(STAGE))
  if (left.length > 0) await sweepParts(paths)
  await Promise.all(left.map(name => rm(join(home, name), { recursive: true, force: true })))
  const stage = join(home, `${STAGE}${release}`)
  await mkdir(stage)
  return stage
}

/**
 * Removes parts and months that no release on disk names. Removes nothing while a manifest is
 * unreadable, because it may name any of them.
 *
 * @returns the number of files and their bytes
 */
export async function sweepParts(paths: Paths): Promise<{ readonly parts: number; readonly bytes: number }> {
  const releases = (await readdir(paths.home)).filter(name => ReleaseId.safeParse(name).success)
  const manifests = await Promise.all(releases.map(id => readFile(paths.manifest(id), 'utf8').then(parsedManifest, () => undefined)))
  if (manifests.includes(undefined)) return { parts: 0, bytes: 0 }
  const named = new Set(manifests.flatMap(manifest => (manifest ? filesOf(paths, manifest) : [])))
  const files = (await Promise.all([paths.parts, paths.months].map(filesIn))).flat()
  const gone = files.filter(file => !named.has(file))
  const bytes = gone.reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0)
  await Promise.all(gone.map(file => rm(file, { force: true })))
  return { parts: gone.length, bytes }
}

function parsedManifest(text: string): Manifest | undefined {
  try {
    return Manifest.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

/**
 * Files that a release may be read from. A release of an earlier version has months in `parts`; a
 * service of that version reads all of them there, also those that are linked to the other folder.
 */
function filesOf(paths: Paths, { parts, months = [] }: Manifest): readonly string[] {
  const monthFiles = months.map(({ sha256 }) => paths.month(sha256))
  const isFormer = !monthFiles.every(file => existsSync(file))
  return [...parts, ...(isFormer ? months : [])].map(({ sha256 }) => paths.part(sha256)).concat(monthFiles)
}

const filesIn = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder).catch(() => [])).map(name => join(folder, name))

/** Writes and syncs `spans.json` in the staging folder. @returns the sha256 that the manifest is to name */
export async function writeSpans(stage: string, spans: Spans, parsed: ParsedFiles): Promise<string> {
  const text = JSON.stringify(spans)
  const sha256 = sha256OfText(text)
  await writeSynced(join(stage, 'spans.json'), text)
  parsed.set(sha256, spans, text.length)
  return sha256
}

/** A manifest as its file holds it. */
export interface Sealed {
  readonly manifest: Manifest
  readonly text: string
  readonly sha256: string
}

export function seal(manifest: Manifest, parsed: ParsedFiles): Sealed {
  const text = `${JSON.stringify(manifest, null, 1)}\n`
  const sha256 = sha256OfText(text)
  parsed.set(sha256, manifest, text.length)
  return { manifest, text, sha256 }
}

/**
 * Makes a release the served one, its spans being in the staging folder: the folder appears by rename once every file in it is synced, then
 * `current` is replaced by rename. A crash at any point leaves the previous release serving, or the new one complete.
 */
export async function commitRelease(paths: Paths, stage: string, { manifest, text, sha256 }: Sealed): Promise<void> {
  await allOver([writeSynced(join(stage, 'manifest.sha256'), `${sha256}\n`), writeSynced(join(stage, 'manifest.json'), text)])
  await syncFolder(stage)
  await rename(stage, paths.release(manifest.release))
  await nameServed(paths, manifest.release)
}

/** Writes which release is served, which is then let go no more. Writing the same one again makes a running service reread it. */
export async function nameServed(paths: Paths, release: string): Promise<void> {
  // The release must be durable before `current` names it; the draft of `current` may be written at the same time.
  await rm(join(paths.retired, `${release}.json`), { force: true })
  await allOver([syncFolder(paths.home), writeSynced(`${paths.current}.next`, `${release}\n`)])
  await rename(`${paths.current}.next`, paths.current)
  await syncFolder(paths.home)
}

/** Names the release that is built upon where `current` is missing, so that a publication without changes leaves it served, too. */
export async function nameMissing(paths: Paths, release: string): Promise<void> {
  if (!existsSync(paths.current)) await nameServed(paths, release)
}

/** Waits for all work even when some of it fails, because the caller then removes its folder. @throws the error of the first that failed */
export async function allOver<T extends readonly unknown[]>(work: { readonly [I in keyof T]: Promise<T[I]> }): Promise<T> {
  await Promise.allSettled(work)
  return (await Promise.all(work)) as unknown as T
}

/** The latest id on disk, of a release, let go or not, or a withdrawal, whether or not its command was killed before it came about. */
export async function newestId({ home, withdrawals, retired }: Paths): Promise<string | undefined> {
  const recorded = await Promise.all([withdrawals, retired].map(folder => readdir(folder).catch(() => [])))
  const events = recorded.flat().map(name => name.replace(/\.json$/, ''))
  return [...(await readdir(home)), ...events]
    .filter(name => ReleaseId.safeParse(name).success)
    .sort()
    .at(-1)
}

/** The id of a release or a withdrawal: the UTC millisecond, or one millisecond after the id before it where the clock stepped back. */
export function nextId({ status }: Dataset, now: Date, before: string | undefined): string {
  const name = (at: Date): string => at.toISOString().replace(/[-:.]/g, '') + (status === 'preview' ? '-preview' : '')
  if (before === undefined || name(now) > before) return name(now)
  const [, year, month, day, hour, minute, second, ms] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z/.exec(before)!.map(Number)
  return name(new Date(Date.UTC(year!, month! - 1, day, hour, minute, second, ms! + 1)))
}
