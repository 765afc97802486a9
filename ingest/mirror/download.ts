import { open, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { commandRefusal } from '../../src/core/index.ts'
import { type PartFile, sha256Of } from '../../src/releases/index.ts'
import type { Remote } from './remote.ts'

/** A file to fetch, and where it comes to lie. */
export interface Download {
  readonly file: PartFile
  readonly url: string
  /** Folder of what is not whole yet. */
  readonly scratch: string
  readonly target: string
}

/** Path of a file that is not complete. */
export const draftOf = (scratch: string, { sha256 }: PartFile): string => join(scratch, `${sha256}.draft`)

/** Tries of a file whose bytes arrive otherwise than its name promises, or not to the end. */
const TRIES = 4

/**
 * Fetches a file, beginning where an earlier try ended. It appears under its name once its bytes are those the name promises, and synced;
 * a kill leaves what arrived, to be gone on with.
 *
 * @param arrived called with each number of bytes that is new on disk
 * @throws Refusal integrity where the bytes are others after several tries, overloaded where they break off each time; what the remote throws
 */
export async function download(remote: Remote, { file, url, scratch, target }: Download, arrived: (bytes: number) => void): Promise<void> {
  const draft = draftOf(scratch, file)
  for (let tried = 1; ; tried++) {
    const cut = await fetchRest(remote, file, url, draft, arrived)
    if (cut === null && (await sha256Of(draft)) === file.sha256) break
    if (tried === TRIES) throw cut === null ? damaged(file) : brokenOff(file, cut)
    // Bytes that are wrong are fetched anew; an answer that was cut off is gone on with.
    if (cut === null) await rm(draft, { force: true })
  }
  const handle = await open(draft, 'r+')
  await handle.sync()
  await handle.close()
  await rename(draft, target)
}

const damaged = ({ sha256 }: PartFile) =>
  commandRefusal('integrity', {}, `The file ${sha256} arrives otherwise than its name promises, ${TRIES} times; nothing of it is kept.`)

const brokenOff = ({ sha256 }: PartFile, { message }: Error) =>
  commandRefusal('overloaded', {}, `The file ${sha256} broke off ${TRIES} times (${message}); what arrived stays, run the command again.`)

/** @returns null once the draft has as many bytes as it should, the error that cut the answer off otherwise */
async function fetchRest(
  remote: Remote,
  { bytes }: PartFile,
  url: string,
  draft: string,
  arrived: (bytes: number) => void,
): Promise<Error | null> {
  const had = (await stat(draft).catch(() => undefined))?.size ?? 0
  if (had > bytes) await rm(draft)
  if (had === bytes) return null
  const from = had > bytes ? 0 : had
  const { statusCode, headers, body } = await remote.get(url, { free: true, headers: from > 0 ? { range: `bytes=${from}-` } : {} })
  // Whoever ignores the range sends all of it.
  const goesOn = statusCode === 206 && String(headers['content-range']).startsWith(`bytes ${from}-`)
  const out = await open(draft, goesOn ? 'a' : 'w', 0o644)
  let size = goesOn ? from : 0
  try {
    // Each piece is written before the next is taken: what arrived before a cut is on disk.
    for await (const piece of body as AsyncIterable<Buffer>) {
      size += piece.length
      if (size > bytes) break
      await out.writeFile(piece)
      arrived(piece.length)
    }
    if (size > bytes) await rm(draft)
    if (size === bytes) return null
    return new Error(size > bytes ? 'it has more bytes than the release names' : 'it ended early')
  } catch (error) {
    // The disk's own errors do not go away with another try.
    if (['ENOSPC', 'EACCES', 'EROFS', 'EIO'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    return error as Error
  } finally {
    await out.close()
  }
}
