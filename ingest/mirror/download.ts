import { open, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { commandRefusal } from '../../src/core/index.ts'
import { type PartFile, sha256Of } from '../../src/releases/index.ts'
import type { Remote } from './remote.ts'

export interface Download {
  readonly file: PartFile
  readonly url: string
  readonly scratch: string
  readonly target: string
}

export const draftOf = (scratch: string, { sha256 }: PartFile): string => join(scratch, `${sha256}.draft`)

/** Maximum attempts per file. Wrong bytes and interrupted responses are requested again. */
const TRIES = 4

/**
 * Downloads a file, or the rest of it. The file gets its name after the sha256 is verified and the
 * bytes are synced. After a crash, the next attempt continues after the received bytes.
 *
 * @param arrived called with the number of new bytes on disk
 * @throws Refusal integrity if the bytes are wrong after several attempts, overloaded if each
 * attempt is interrupted; errors of the remote
 */
export async function download(remote: Remote, { file, url, scratch, target }: Download, arrived: (bytes: number) => void): Promise<void> {
  const draft = draftOf(scratch, file)
  for (let tried = 1; ; tried++) {
    const cut = await fetchRest(remote, file, url, draft, arrived)
    if (cut === null && (await sha256Of(draft)) === file.sha256) break
    if (tried === TRIES) throw cut === null ? damaged(file) : brokenOff(file, cut)
    // Keeps the bytes of an interrupted response, but not wrong bytes.
    if (cut === null) await rm(draft, { force: true })
  }
  const handle = await open(draft, 'r+')
  await handle.sync()
  await handle.close()
  await rename(draft, target)
}

const damaged = ({ sha256 }: PartFile) =>
  commandRefusal('integrity', {}, `The file ${sha256} did not match its checksum in ${TRIES} downloads and was deleted. Pull again later.`)

const brokenOff = ({ sha256 }: PartFile, { message }: Error) =>
  commandRefusal(
    'overloaded',
    {},
    `The download of ${sha256} was interrupted ${TRIES} times (${message}). Run the command again to resume it.`,
  )

/**
 * Appends the missing bytes.
 *
 * @returns null when the file is complete, otherwise the error that interrupted the response
 */
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
  // A server that ignores the range sends the whole file.
  const goesOn = statusCode === 206 && String(headers['content-range']).startsWith(`bytes ${from}-`)
  const out = await open(draft, goesOn ? 'a' : 'w', 0o644)
  let size = goesOn ? from : 0
  try {
    // Each chunk is written before the next one is read, so chunks before an interruption are on
    // disk.
    for await (const piece of body as AsyncIterable<Buffer>) {
      size += piece.length
      if (size > bytes) break
      await out.writeFile(piece)
      arrived(piece.length)
    }
    if (size > bytes) await rm(draft)
    if (size === bytes) return null
    return new Error(size > bytes ? 'it has more bytes than the release states' : 'it ended early')
  } catch (error) {
    // Another attempt would fail too.
    if (['ENOSPC', 'EACCES', 'EROFS', 'EIO'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    return error as Error
  } finally {
    await out.close()
  }
}
