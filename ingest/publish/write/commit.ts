import { existsSync, statSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Dataset } from '../../../catalog/index.ts'
import { syncFolder, writeSynced } from '../../../src/core/index.ts'
import { Manifest, type ParsedFiles, type ReleasePaths as Paths, ReleaseId, type Spans, sha256OfText } from '../../../src/releases/index.ts'

const STAGE = '.stage-'

/** Creates a staging folder. Also removes staging folders of killed publications. */
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
 * Removes files that no release lists. Removes nothing if a manifest is unreadable, because it may
 * list any file.
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
 * Returns the paths of a release's files. Includes months in `parts`, where earlier versions of the
 * service store and read months.
 */
function filesOf(paths: Paths, { parts, months = [] }: Manifest): readonly string[] {
  const monthFiles = months.map(({ sha256 }) => paths.month(sha256))
  const isFormer = !monthFiles.every(file => existsSync(file))
  return [...parts, ...(isFormer ? months : [])].map(({ sha256 }) => paths.part(sha256)).concat(monthFiles)
}

const filesIn = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder).catch(() => [])).map(name => join(folder, name))

/**
 * Writes and syncs `spans.json`. `received` is last, so that reads can skip it.
 *
 * @returns its sha256 for the manifest
 */
export async function writeSpans(stage: string, spans: Spans, parsed: ParsedFiles): Promise<string> {
  const { received, ...rows } = spans
  const text = JSON.stringify({ ...rows, received })
  const sha256 = sha256OfText(text)
  await writeSynced(join(stage, 'spans.json'), text)
  parsed.set(sha256, spans, text.length)
  return sha256
}

/** A manifest with the text of its file. */
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
 * Serves a staged release. Syncs all files, renames the staging folder to the release id, then
 * replaces `current`. After a crash, the previous release or the complete new one is served.
 */
export async function commitRelease(paths: Paths, stage: string, { manifest, text, sha256 }: Sealed): Promise<void> {
  await allOver([writeSynced(join(stage, 'manifest.sha256'), `${sha256}\n`), writeSynced(join(stage, 'manifest.json'), text)])
  await syncFolder(stage)
  await rename(stage, paths.release(manifest.release))
  await nameServed(paths, manifest.release)
}

/** Makes a release the served one. Writing the same id again makes a running service reload. */
export async function nameServed(paths: Paths, release: string): Promise<void> {
  // The release must be on disk before `current` names it.
  await rm(join(paths.retired, `${release}.json`), { force: true })
  await allOver([syncFolder(paths.home), writeSynced(`${paths.current}.next`, `${release}\n`)])
  await rename(`${paths.current}.next`, paths.current)
  await syncFolder(paths.home)
}

/**
 * Writes `current` if it is missing. Otherwise, a publication without changes would leave the
 * release unserved.
 */
export async function nameMissing(paths: Paths, release: string): Promise<void> {
  if (!existsSync(paths.current)) await nameServed(paths, release)
}

/**
 * Waits for all work, even after a failure. The caller can then remove the folder.
 *
 * @throws the error of the first failed work
 */
export async function allOver<T extends readonly unknown[]>(work: { readonly [I in keyof T]: Promise<T[I]> }): Promise<T> {
  await Promise.allSettled(work)
  return (await Promise.all(work)) as unknown as T
}

/** Returns the newest id. Includes ids of retired releases, withdrawals and killed commands. */
export async function newestId({ home, withdrawals, retired }: Paths): Promise<string | undefined> {
  const recorded = await Promise.all([withdrawals, retired].map(folder => readdir(folder).catch(() => [])))
  const events = recorded.flat().map(name => name.replace(/\.json$/, ''))
  return [...(await readdir(home)), ...events]
    .filter(name => ReleaseId.safeParse(name).success)
    .sort()
    .at(-1)
}

/**
 * Returns an id: the UTC time with milliseconds. If the clock went backwards, returns the previous
 * id plus one millisecond.
 */
export function nextId({ status }: Dataset, now: Date, before: string | undefined): string {
  const name = (at: Date): string => at.toISOString().replace(/[-:.]/g, '') + (status === 'preview' ? '-preview' : '')
  if (before === undefined || name(now) > before) return name(now)
  const [, year, month, day, hour, minute, second, ms] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z/.exec(before)!.map(Number)
  return name(new Date(Date.UTC(year!, month! - 1, day, hour, minute, second, ms! + 1)))
}
