import { randomBytes } from 'node:crypto'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'

const draftOf = (file: string): string => join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}.part`)

const STOPS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * The file appears only when it is complete and synced. After SIGKILL, a hidden file remains.
 * @throws Error if the file cannot be created, before calling `contents`
 */
export async function writeWhole(file: string, contents: () => AsyncIterable<Uint8Array>): Promise<void> {
  const there = await stat(file).catch(() => undefined)
  if (there && !there.isFile()) throw new Error(`${file} exists, but is not a regular file. Use another --out.`)
  const draft = draftOf(file)
  const handle = await open(draft, 'wx').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new Error(`Folder ${dirname(file)} does not exist. Create it, or use another --out.`) : error
  })
  const stopped = (signal: NodeJS.Signals): void => {
    rmSync(draft, { force: true })
    process.kill(process.pid, signal)
  }
  for (const signal of STOPS) process.once(signal, stopped)
  try {
    await pipeline(contents(), handle.createWriteStream({ flush: true }))
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  } finally {
    for (const signal of STOPS) process.off(signal, stopped)
  }
}

/** Replaces a file atomically. After a crash, the old or the new file is complete. */
export function replaceFile(file: string, text: string): void {
  const draft = draftOf(file)
  try {
    writeFileSync(draft, text, { flag: 'wx', flush: true })
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}
