import { randomBytes } from 'node:crypto'
import { readdirSync, readlinkSync } from 'node:fs'
import { mkdtemp, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type FileBytes, openFileBytes } from '../../src/releases/index.ts'

/** Contents of a file that is read in many chunks. */
const BYTES = randomBytes(3_000_000)

let [dir, path] = ['', '']
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twmd-'))
  path = join(dir, 'file')
  await writeFile(path, BYTES)
})
afterEach(() => rm(dir, { recursive: true }))

/**
 * The sent bytes, copied before their memory is reused. Calls `beforeChunk` before reading each
 * chunk.
 */
async function sent(file: FileBytes, beforeChunk: (pieces: number) => unknown = () => {}): Promise<Buffer> {
  const pieces: Buffer[] = []
  await file.sendTo({
    async write(bytes, callback) {
      await beforeChunk(pieces.length)
      pieces.push(Buffer.from(bytes))
      callback()
    },
  })
  return Buffer.concat(pieces)
}

const openHere = () =>
  readdirSync('/proc/self/fd').filter(fd => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(dir)
    } catch {
      return false
    }
  })

it('a range of a file is sent exactly, and its descriptor is closed', async () => {
  for (const [from, bytes] of [
    [0, BYTES.length],
    [1, 1],
    [262_143, 262_146],
    [BYTES.length - 5, 5],
  ] as const) {
    const file = await openFileBytes(path, from, bytes)
    expect((await sent(file)).equals(BYTES.subarray(from, from + bytes))).toBe(true)
    expect(await file.ended).toBe(null)
    expect(openHere()).toEqual([])
  }
})

it('parallel downloads never mix bytes while other callers are slow, disconnect or fail', async () => {
  const files = [BYTES, ...Array.from({ length: 5 }, () => randomBytes(2_000_000))]
  const paths = await Promise.all(
    files.map(async (bytes, index) => {
      await writeFile(join(dir, String(index)), bytes)
      return join(dir, String(index))
    }),
  )
  const left: { readonly held: Buffer; readonly was: Buffer }[] = []
  const read = async (index: number): Promise<void> => {
    const bytes = files[index]!
    const file = await openFileBytes(paths[index]!, 0, bytes.length)
    expect((await sent(file, () => sleep(index))).equals(bytes)).toBe(true)
  }
  /**
   * Reads two chunks, then breaks the connection while the connection still uses the memory of a
   * chunk.
   */
  const leave = async (index: number): Promise<void> => {
    let pieces = 0
    const file = await openFileBytes(paths[index]!, 0, files[index]!.length)
    const write = (bytes: Buffer, callback: (error?: Error) => void): void => {
      if (++pieces < 2) return callback()
      left.push({ held: bytes, was: Buffer.from(bytes) })
      callback(new Error('the caller left'))
    }
    await expect(file.sendTo({ write })).rejects.toThrow('the caller left')
  }
  await Promise.all(files.flatMap((_, index) => [read(index), leave(index), read(index)]))
  // Enough concurrent reads to use all of the returned memory.
  await Promise.all(Array.from({ length: 24 }, (_, at) => read(at % files.length)))
  expect(left.filter(({ held: bytes, was }) => !bytes.equals(was))).toEqual([])
  expect(openHere()).toEqual([])
})

it('if a file is removed or replaced while it is sent, its original bytes are still sent completely', async () => {
  const replace = async () => {
    await writeFile(`${path}.next`, 'another')
    await rename(`${path}.next`, path)
  }
  for (const change of [() => rm(path), replace]) {
    await writeFile(path, BYTES)
    const file = await openFileBytes(path, 0, BYTES.length)
    const bytes = await sent(file, async pieces => pieces === 1 && change())
    expect(bytes.equals(BYTES)).toBe(true)
  }
})

it('sending a file that becomes shorter fails', async () => {
  const file = await openFileBytes(path, 0, BYTES.length)
  await truncate(path, 1_000_000)
  await expect(sent(file)).rejects.toThrow('became shorter')
  expect(await file.ended).toBeInstanceOf(Error)
  expect(openHere()).toEqual([])
})

it('a file is closed when its download is cancelled or fails', async () => {
  const untaken = await openFileBytes(path, 0, BYTES.length)
  untaken.cancel()
  expect(await untaken.ended).toBe(null)
  const left = await openFileBytes(path, 0, BYTES.length)
  await expect(left.sendTo({ write: (_, done) => done(new Error('hung up')) })).rejects.toThrow('hung up')
  expect(await left.ended).toBeInstanceOf(Error)
  expect(openHere()).toEqual([])
})
