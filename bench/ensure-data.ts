import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { startChild } from './child.ts'
import { DAYS, folderOf, SIZES, type Size } from './data.ts'
import type { Load } from './publisher.ts'
import { openRaw } from './raw.ts'

/** Prints progress on stderr, because stdout has the results. */
export const say = (text: string): void => console.error(`${(performance.now() / 1_000).toFixed(0).padStart(4)} s  ${text}`)

export const rowsOf = (size: Size): string => `${((SIZES[size] * DAYS) / 1e6).toFixed(2)} M rows`

/**
 * Makes the rows and publishes them, or does nothing if an earlier run has published them.
 *
 * @returns duration and peak memory of that publication
 */
export async function ensureData(size: Size): Promise<Load> {
  const done = join(folderOf(size), 'load.json')
  if (!existsSync(done) || !(await isReadable(folderOf(size)))) {
    rmSync(folderOf(size), { recursive: true, force: true })
    const publisher = startChild('publisher.ts')
    await publisher.ask('open', folderOf(size))
    say(`writing ${rowsOf(size)} as one file`)
    await publisher.ask('write', size)
    await publisher.stop()
    await publishFirst(size)
  }
  return JSON.parse(readFileSync(done, 'utf8')) as Load
}

const isReadable = (folder: string): Promise<boolean> =>
  openRaw(folder).then(
    raw => {
      raw.close()
      return true
    },
    () => false,
  )

/** Publishes in a child process, to measure the peak memory of a publication. */
async function publishFirst(size: Size): Promise<void> {
  say(`publishing ${rowsOf(size)}`)
  const publisher = startChild('publisher.ts')
  await publisher.ask('open', folderOf(size))
  await publisher.ask('load', size)
  await publisher.stop()
}
