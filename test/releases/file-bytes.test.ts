import { randomBytes } from 'node:crypto'
import { readdirSync, readlinkSync } from 'node:fs'
import { mkdtemp, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openFileBytes } from '../../src/releases/index.ts'

/** Many pieces. */
const BYTES = randomBytes(3_000_000)

let [dir, path] = ['', '']
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twmd-'))
  path = join(dir, 'file')
  await writeFile(path, BYTES)
})
afterEach(() => rm(dir, { recursive: true }))

const openHere = () =>
  readdirSync('/proc/self/fd').filter(fd => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(dir)
    } catch {
      return false
    }
  })

it('bytes from anywhere in a file are those that are there, and it is closed behind them', async () => {
  for (const [from, bytes] of [
    [0, BYTES.length],
    [1, 1],
    [262_143, 262_146],
    [BYTES.length - 5, 5],
  ] as const) {
    const file = await openFileBytes(path, from, bytes)
    expect((await buffer(file)).equals(BYTES.subarray(from, from + bytes))).toBe(true)
    expect(await file.over).toBe(null)
    expect(openHere()).toEqual([])
  }
})

it('a file that is removed, or replaced, while it is read is read to its end as it was', async () => {
  const replace = async () => {
    await writeFile(`${path}.next`, 'another')
    await rename(`${path}.next`, path)
  }
  for (const change of [() => rm(path), replace]) {
    await writeFile(path, BYTES)
    const pieces: Buffer[] = []
    for await (const piece of await openFileBytes(path, 0, BYTES.length)) {
      if (pieces.push(piece) === 1) await change()
    }
    expect(Buffer.concat(pieces).equals(BYTES)).toBe(true)
  }
})

it('a file that becomes shorter fails where its bytes end, and never looks complete', async () => {
  const file = await openFileBytes(path, 0, BYTES.length)
  await truncate(path, 1_000_000)
  await expect(buffer(file)).rejects.toThrow('became shorter')
  expect(await file.over).toBeInstanceOf(Error)
  expect(openHere()).toEqual([])
})

it('a file that nobody takes, or no longer, is closed', async () => {
  const untaken = await openFileBytes(path, 0, BYTES.length)
  untaken.cancel()
  expect(await untaken.over).toBe(null)
  const left = await openFileBytes(path, 0, BYTES.length)
  for await (const _ of left) break
  expect(await left.over).toBe(null)
  expect(openHere()).toEqual([])
})
