import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { type Dataset, schemaHash, storedName } from '../../catalog/index.ts'
import { commandRefusal, Refusal, syncFolder, writeSynced } from '../../src/core/index.ts'
import {
  DOCUMENTS,
  Manifest,
  markReplica,
  type PartFile,
  partFiles,
  type ReleaseDocument,
  ReleaseId,
  type ReleasePaths,
  readCurrent,
  readManifest,
  releasePaths,
  retainedReleases,
  Spans,
  sha256OfText,
} from '../../src/releases/index.ts'
import { linkMonths, nameServed, withLock } from '../publish/index.ts'
import { DATA_LIMITS, type JsonLimits, LIST_LIMITS, parseJson } from './bounded-json.ts'
import { download, draftOf } from './download.ts'
import { forgetUrls, listFiles } from './listing.ts'
import type { Remote } from './remote.ts'

export interface Progress {
  readonly bytes: number
  readonly of: number
}

export interface Pulled {
  readonly dataset: string
  readonly release: string
  /** `unchanged`: the release was already served here. */
  readonly status: 'pulled' | 'unchanged'
  readonly files: number
  readonly bytes: number
  readonly credits: number
  /** The service's Delta table, if it has one. */
  readonly table: z.output<typeof Table> | null
}

const CONCURRENT = 4

const Table = z.object({ version: z.int().nonnegative(), release: z.string(), log_sha256: z.string() })
const Releases = z.object({
  served: ReleaseId.nullable(),
  // Missing in earlier versions of the service.
  table: Table.nullable().default(null),
  data: z.array(z.object({ release: z.string() })),
})

/**
 * Copies the served release of another service, and serves the release here when complete. Each
 * file gets its name when complete, then the release gets its folder, then `current` is updated.
 * After a crash, the previous release is served and the next pull continues.
 *
 * @param root folder of releases
 * @throws Refusal with the remote's message if the remote refuses, integrity for wrong bytes,
 * conflict if the dataset is being published here or the remote's columns differ from those of
 * this version
 */
export async function pullDataset(
  remote: Remote,
  root: string,
  dataset: Dataset,
  progress: (state: Progress) => void = () => {},
): Promise<Pulled> {
  const { slug } = dataset
  const { served, table, data } = await remote.json(`/v2/datasets/${slug}/releases?limit=50`, Releases)
  if (served === null) throw commandRefusal('dataset_building', {}, `The service has no release of ${slug} to pull.`)
  const paths = releasePaths(root, slug)
  const unchanged = { dataset: slug, release: served, status: 'unchanged', files: 0, bytes: 0, credits: 0, table } as const
  if ((await readCurrent(root, slug).catch(() => null)) === served && (await isWhole(root, slug, served))) return unchanged
  return withLock(paths.home, async () => {
    const scratch = join(paths.home, '.pull')
    await mkdir(scratch, { recursive: true })
    await mkdir(paths.parts, { recursive: true })
    await markReplica(root)
    const documents = await readDocuments(remote, dataset, served)
    if (documents.manifest.months) await mkdir(paths.months, { recursive: true })
    const retained = new Set(data.map(({ release }) => release))
    const since = (await retainedReleases(root, slug)).findLast(id => id !== served && retained.has(id)) ?? null
    const fetched = await fetchFiles(remote, { slug, release: served, since, scratch, paths, manifest: documents.manifest }, progress)
    await install(paths, scratch, served, documents.texts)
    await nameServed(paths, served)
    await rm(scratch, { recursive: true, force: true })
    return { dataset: slug, release: served, status: 'pulled', ...fetched, table }
  })
}

const sizeOf = async (file: string): Promise<number> => (await stat(file).catch(() => undefined))?.size ?? 0

const hasFile = async (paths: ReleasePaths, file: PartFile): Promise<boolean> => (await sizeOf(paths.file(file))) === file.bytes

async function isWhole(root: string, slug: string, release: string): Promise<boolean> {
  const manifest = await readManifest(root, slug, release).catch(() => undefined)
  return manifest !== undefined && (await missingOf(releasePaths(root, slug), manifest)).length === 0
}

async function missingOf(paths: ReleasePaths, manifest: Manifest): Promise<readonly PartFile[]> {
  // Files with the same bytes are downloaded once, because two downloads would write the same
  // incomplete file. If a part and a month have the same bytes, the month is linked to the part.
  const files = [
    ...new Map(
      partFiles(manifest)
        .toReversed()
        .map(file => [file.sha256, file]),
    ).values(),
  ].reverse()
  const here = await Promise.all(files.map(file => hasFile(paths, file)))
  return files.filter((_, index) => !here[index])
}

interface Documents {
  readonly manifest: Manifest
  readonly texts: ReadonlyMap<ReleaseDocument, Buffer>
}

const LIMITS: Readonly<Record<ReleaseDocument, JsonLimits>> = {
  'manifest.json': LIST_LIMITS,
  'manifest.sha256': { bytes: 100, values: 1 },
  'spans.json': DATA_LIMITS,
}
/** `z.json` also rejects infinite numbers in fields of any type. */
const FiniteManifest = z
  .json()
  .transform((json): unknown => json)
  .pipe(Manifest)

/**
 * Verifies each document by its sha256.
 *
 * @throws Refusal integrity, conflict
 */
async function readDocuments(remote: Remote, dataset: Dataset, release: string): Promise<Documents> {
  const texts = new Map<ReleaseDocument, Buffer>()
  for (const name of DOCUMENTS) {
    const { bytes: maxBytes } = LIMITS[name]
    const { bytes } = await remote.read(`/v2/datasets/${dataset.slug}/releases/${release}/${name}`, { free: true, maxBytes })
    texts.set(name, bytes)
  }
  const textOf = (name: ReleaseDocument): string => texts.get(name)!.toString('utf8')
  const damaged = (what: string) =>
    commandRefusal('integrity', { release }, `The ${what} of ${release} arrived damaged, so the release is not served here. Pull again.`)
  if (sha256OfText(textOf('manifest.json')) !== textOf('manifest.sha256').trim()) throw damaged('manifest')
  const parsed = FiniteManifest.safeParse(parseJson(texts.get('manifest.json')!, LIST_LIMITS))
  if (!parsed.success)
    throw commandRefusal(
      'conflict',
      { release },
      `This version of twmd cannot read the manifest of ${release}. Upgrade to the version of the service.`,
    )
  const manifest = parsed.data
  if (manifest.release !== release || manifest.dataset !== storedName(dataset.slug)) throw damaged('manifest')
  if (sha256OfText(textOf('spans.json')) !== manifest.statistics.spans) throw damaged('statistics')
  if (!Spans.safeParse(parseJson(texts.get('spans.json')!, DATA_LIMITS)).success)
    throw commandRefusal(
      'conflict',
      { release },
      `This version of twmd cannot read the statistics of ${release}. Upgrade to the version of the service.`,
    )
  if (manifest.schema_hash !== schemaHash(dataset))
    throw commandRefusal(
      'conflict',
      { release },
      `Release ${release} of ${dataset.slug} has other columns than this version of twmd. Upgrade to the version of the service.`,
    )
  return { manifest, texts }
}

interface Wanted {
  readonly slug: string
  readonly release: string
  readonly since: string | null
  readonly scratch: string
  readonly paths: ReleasePaths
  readonly manifest: Manifest
}

async function fetchFiles(remote: Remote, wanted: Wanted, progress: (state: Progress) => void) {
  const missing = await missingOf(wanted.paths, wanted.manifest)
  const total = missing.reduce((sum, { bytes }) => sum + bytes, 0)
  await checkSpace(wanted, missing, total)
  let [bytes, credits] = [0, 0]
  const arrived = (more: number): void => {
    bytes += more
    progress({ bytes, of: total })
  }
  for (let [left, idle] = [missing, 0]; left.length > 0; ) {
    const listed = await urlsFor(remote, wanted, left)
    credits += listed.credits
    await fetchListed(remote, wanted, left, listed.urls, arrived).catch(error => forgetEnded(error, wanted, idle))
    const still = await missingOf(wanted.paths, wanted.manifest)
    idle = still.length < left.length ? 0 : idle + 1
    left = still
  }
  await linkMonths(wanted.manifest.months ?? [], wanted.paths)
  await Promise.all([wanted.paths.parts, wanted.paths.months].filter(folder => existsSync(folder)).map(syncFolder))
  return { files: missing.length, bytes: total, credits }
}

/**
 * Free space that a pull leaves on the disk, so that a service on the same disk can commit: a
 * number of bytes, or a share of a small disk.
 */
const RESERVE_BYTES = 2 ** 30
const RESERVE_SHARE = 0.05

/** @throws Refusal conflict if the files exceed the free space minus the reserve */
async function checkSpace({ release, scratch, paths }: Wanted, missing: readonly PartFile[], bytes: number): Promise<void> {
  const drafts = await Promise.all(missing.map(async file => Math.min(file.bytes, await sizeOf(draftOf(scratch, file)))))
  const needed = bytes - drafts.reduce((sum, size) => sum + size, 0)
  const { bavail, blocks, bsize } = await statfs(paths.parts)
  const free = Math.max(0, bavail * bsize - Math.min(RESERVE_BYTES, blocks * bsize * RESERVE_SHARE))
  if (needed <= free) return
  const [stated, available] = [needed, free].map(size => (size / 1e9).toFixed(1))
  throw commandRefusal(
    'conflict',
    { release },
    `The service reports ${stated} GB for the files of ${release}, but only ${available} GB of disk space are free. Free disk space, or check the address.`,
  )
}

async function fetchListed(
  remote: Remote,
  { scratch, paths }: Wanted,
  files: readonly PartFile[],
  urls: ReadonlyMap<string, string>,
  arrived: (bytes: number) => void,
): Promise<void> {
  const next = files.values()
  const fetchOn = async (): Promise<void> => {
    for (const file of next)
      await download(
        remote,
        { file, url: urls.get(file.sha256)!, scratch, target: 'role' in file ? paths.part(file.sha256) : paths.month(file.sha256) },
        arrived,
      )
  }
  // Waits for all downloads before it reports a failure, because the caller may then use the
  // folder.
  const ended = await Promise.allSettled(Array.from({ length: CONCURRENT }, fetchOn))
  for (const result of ended) if (result.status === 'rejected') throw result.reason
}

/** Refusals that a new URL resolves. */
const ENDED: ReadonlySet<unknown> = new Set(['expired_file_url', 'revoked_file_url', 'invalid_file_url'])
/** Maximum number of consecutive paid lists without a download. */
const MOST_IDLE = 2

/**
 * Deletes expired URLs.
 *
 * @throws the error if it has another cause, or if the new URLs have expired as well
 */
async function forgetEnded(error: unknown, { scratch }: Wanted, idle: number): Promise<void> {
  if (!(error instanceof Refusal) || !ENDED.has(error.facts['code'])) throw error
  await forgetUrls(scratch)
  if (idle >= MOST_IDLE) throw error
}

/**
 * Requests URLs of the missing files. First requests only files that a local release does not
 * contain. If a file of the local release is also missing, requests all files.
 */
async function urlsFor(remote: Remote, wanted: Wanted, missing: readonly PartFile[]) {
  const isEnough = (urls: ReadonlyMap<string, string>): boolean => missing.every(({ sha256 }) => urls.has(sha256))
  const found = await listFiles(remote, wanted)
  if (isEnough(found.urls)) return found
  const all = await listFiles(remote, { ...wanted, since: null })
  if (isEnough(all.urls)) return { ...all, credits: found.credits + all.credits }
  throw commandRefusal(
    'conflict',
    {},
    `The service did not list every file of ${wanted.release}. The release may have been withdrawn in the meantime. Pull again.`,
  )
}

/** Moves the complete release into place. An intact local copy stays, because it may be served. */
async function install(paths: ReleasePaths, scratch: string, release: string, texts: Documents['texts']): Promise<void> {
  const [stage, target] = [join(scratch, release), paths.release(release)]
  const here = await Promise.all(
    [...texts].map(async ([name, bytes]) => (await readFile(join(target, name)).catch(() => null))?.equals(bytes)),
  )
  if (here.every(Boolean)) return
  await rm(stage, { recursive: true, force: true })
  await mkdir(stage)
  for (const [name, bytes] of texts) await writeSynced(join(stage, name), bytes.toString('utf8'))
  await syncFolder(stage)
  await rm(target, { recursive: true, force: true })
  await rename(stage, target)
}
