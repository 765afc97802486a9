import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { type FileHandle, open, readdir, readFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import { storedName } from '../../catalog/index.ts'
import { Refusal, shortage } from '../core/index.ts'
import { Manifest, ReleaseId, releasePaths, Spans } from './manifest.ts'
import type { ParsedFiles } from './parsed-files.ts'

/** The process or the system is short of something: nothing can be known of the file now. */
const SHORTAGE: ReadonlySet<string | undefined> = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'ENOBUFS', 'EAGAIN', 'EBUSY', 'EINTR'])
const MISSING: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR'])

const codeOf = (error: unknown): string | undefined => (error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined)

/** True for an error that says nothing about the file, neither that it is damaged nor that it is absent. */
export const isShortage = (error: unknown): boolean => SHORTAGE.has(codeOf(error))

/** True for what ended because the service closes. */
export const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError'

/** True where the disk did not give the bytes. It may at another try, though the file stays the same. */
export const isDiskError = (error: unknown): boolean => codeOf(error) === 'EIO'

/** Refuses a caller for the moment where the process is short of something; other errors stay as they are. @throws Refusal overloaded */
export const refusingShortage = <T>(work: Promise<T>): Promise<T> =>
  work.catch(error => {
    throw isShortage(error) ? shortage() : error
  })

/** Milliseconds before each further try. */
const PAUSES = [10, 40, 160]

/** Reads, and tries again after an error that may be gone a moment later. @throws what the last try throws */
export async function retryTransient<T>(read: () => Promise<T>): Promise<T> {
  for (const pause of PAUSES) {
    try {
      return await read()
    } catch (error) {
      if (!isShortage(error) && !isDiskError(error)) throw error
      await sleep(pause)
    }
  }
  return read()
}

/** Null where there is no such file or folder; any other error is thrown. */
export async function ifPresent<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading
  } catch (error) {
    if (MISSING.has(codeOf(error))) return null
    throw error
  }
}

const readText = (file: string): Promise<string> => retryTransient(() => readFile(file, 'utf8'))

export const sha256OfText = (text: string): string => createHash('sha256').update(text).digest('hex')

/** sha256 of a file, as hex. @throws what reading it throws */
export const sha256Of = (path: string): Promise<string> =>
  retryTransient(async () => {
    await using file = await open(path)
    const { size } = await file.stat()
    // Hashed in a thread of the platform's: most parts are of a megabyte, for which a stream takes twice as long.
    if (size <= WHOLE) return withRoom(size, async room => sha256OfBytes(await readInto(room, file, size)))
    const hash = createHash('sha256')
    await pipeline(file.createReadStream({ highWaterMark: 1 << 20, autoClose: false }), hash)
    return hash.digest('hex')
  })

const sha256OfBytes = async (bytes: Buffer<ArrayBuffer>): Promise<string> =>
  Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex')

/** Files up to this many bytes are hashed whole. */
const WHOLE = 1 << 23

/** Fills the room with a file from its beginning. @returns as much of it as the file has, which may be shorter by now */
async function readInto(room: Buffer<ArrayBuffer>, file: FileHandle, size: number): Promise<Buffer<ArrayBuffer>> {
  let at = 0
  for (let read = 1; at < size && read > 0; at += read) read = (await file.read(room, at, size - at)).bytesRead
  return room.subarray(0, at)
}

/** Rooms that are kept for the next files, and what their sizes are multiples of: fresh memory takes longer to get than a file to hash. */
const [ROOMS, ROOM] = [4, 1 << 20]
const rooms: Buffer<ArrayBuffer>[] = []

/** Lends memory of at least so many bytes, of any content. */
async function withRoom<T>(size: number, use: (room: Buffer<ArrayBuffer>) => Promise<T>): Promise<T> {
  const free = rooms.pop()
  const room = free && free.length >= size ? free : Buffer.allocUnsafeSlow(Math.max(1, Math.ceil(size / ROOM)) * ROOM)
  try {
    return await use(room)
  } finally {
    if (rooms.length < ROOMS) rooms.push(room)
  }
}

/** Bytes hashed at a time by `sha256InPieces`: a tenth of a millisecond of this thread. */
const PIECE = 1 << 17

/** The same, a small piece at a time. @param between is awaited after each, with its bytes @throws what it or reading throws */
export const sha256InPieces = (path: string, between: (bytes: number) => Promise<void>): Promise<string> =>
  retryTransient(async () => {
    await using file = await open(path)
    const [hash, piece] = [createHash('sha256'), Buffer.allocUnsafe(PIECE)]
    for (;;) {
      const { bytesRead } = await file.read(piece, 0, PIECE)
      if (bytesRead === 0) return hash.digest('hex')
      hash.update(piece.subarray(0, bytesRead))
      await between(bytesRead)
    }
  })

/**
 * Text that changes whenever the file is replaced or written to, even by a copy that keeps its time; undefined when it cannot be found.
 * Synchronous on purpose: a local stat takes 2 µs, an async one ten times that and a thread that a reader may need.
 */
export function fileVersion(file: string): string | undefined {
  try {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false })
    return found && `${found.mtimeNs}.${found.ctimeNs}.${found.ino}.${found.size}`
  } catch {
    return undefined
  }
}

/** Ids of the releases whose folders are on disk, oldest first, let go or not; none where the dataset has no folder. */
export async function releasesOnDisk(root: string, slug: string): Promise<readonly string[]> {
  const names = (await ifPresent(retryTransient(() => readdir(releasePaths(root, slug).home)))) ?? []
  return names.filter(name => ReleaseId.safeParse(name).success).sort()
}

/** Ids of the releases that are kept, oldest first: those on disk that were not let go. */
export async function retainedReleases(root: string, slug: string): Promise<readonly string[]> {
  const found = await releasesOnDisk(root, slug)
  const retired = await ifPresent(retryTransient(() => readdir(releasePaths(root, slug).retired)))
  if (!retired || retired.length === 0) return found
  const gone = new Set(retired)
  return found.filter(id => !gone.has(`${id}.json`))
}

/** The text of `current`, whatever it says; null before the first publication. */
export const readPointer = (root: string, slug: string): Promise<string | null> => ifPresent(readText(releasePaths(root, slug).current))

/**
 * Id of the release that `current` names; null before the first publication. Where the file is missing, the only release there is: its
 * publication was killed before it was served, or the file was lost.
 *
 * @throws Refusal integrity when it names none, or is missing beside several releases, any of which may have been served
 */
export async function readCurrent(root: string, slug: string): Promise<string | null> {
  const pointer = await readPointer(root, slug)
  const named = ReleaseId.safeParse(pointer?.trim())
  if (named.success) return named.data
  if (pointer !== null) throw unnamed(slug, 'is damaged')
  const [only = null, ...others] = await retainedReleases(root, slug)
  if (others.length === 0) return only
  throw unnamed(slug, `is missing, and ${others.length + 1} releases are kept`)
}

const unnamed = (slug: string, fault: string): Refusal =>
  new Refusal(
    'integrity',
    { dataset: slug },
    {
      en: `The file that names the served release of ${slug} ${fault}; name one with twmd releases serve ${slug} <release>, of those that twmd releases list ${slug} shows.`,
      zh: `記載 ${slug} 提供版本的檔案有誤；請以 twmd releases list ${slug} 查看，並以 twmd releases serve ${slug} <release> 指定一個版本。`,
    },
  )

/**
 * @param parsed texts it need not parse again; every byte is read and hashed all the same
 * @throws Error when it is absent, damaged, of another dataset or release, or cannot be read now
 */
export const readManifest = (root: string, slug: string, id: string, parsed?: ParsedFiles): Promise<Manifest> =>
  readVerified(root, slug, id, Manifest, parsed)

/**
 * A manifest in the shape of `schema`: complete, or only the keys that are wanted.
 *
 * @throws Error when it is absent, of another shape, does not match the sha256 written beside it, or cannot be read now
 */
export async function readVerified<M extends Pick<Manifest, 'dataset' | 'release'>>(
  root: string,
  slug: string,
  id: string,
  schema: z.ZodType<M>,
  parsed?: ParsedFiles,
): Promise<M> {
  const paths = releasePaths(root, slug)
  const [text, seal] = await Promise.all([readText(paths.manifest(id)), readText(paths.seal(id))])
  const sha256 = sha256OfText(text)
  if (sha256 !== seal.trim()) throw new Error(`the manifest of ${id} is damaged`)
  const manifest = (parsed?.get(sha256) as M | undefined) ?? schema.parse(JSON.parse(text))
  parsed?.set(sha256, manifest, text.length)
  if (manifest.release !== id || manifest.dataset !== storedName(slug)) throw new Error(`the manifest in ${id} names another release`)
  return manifest
}

/**
 * @param parsed texts it need not parse again; every byte is read and hashed all the same
 * @throws Error when they are absent, not those the manifest names, in a form that is no longer read, or cannot be read now
 */
export async function readSpans(root: string, { dataset, release, statistics }: Manifest, parsed?: ParsedFiles): Promise<Spans> {
  const text = await readText(releasePaths(root, dataset).spans(release))
  if (sha256OfText(text) !== statistics.spans) throw new Error(`the spans of ${release} are damaged`)
  const known = parsed?.get(statistics.spans) as Spans | undefined
  if (known) return known
  const spans = JSON.parse(text) as Spans
  // The manifest vouches for every byte, so one entry tells the form of thousands.
  const { base, delta, slices, received } = spans
  const firstReceived = received && Object.fromEntries(Object.entries(received).map(([method, counts]) => [method, firstOf(counts)]))
  Spans.parse({ ...spans, base: firstOf(base), delta: firstOf(delta), slices: firstOf(slices), received: firstReceived })
  parsed?.set(statistics.spans, spans, text.length)
  return spans
}

function firstOf<T>(entries: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  for (const name in entries) return { [name]: entries[name]! }
  return entries
}
