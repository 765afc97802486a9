import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openHashThread } from '../../src/releases/hash-thread.ts'
import { createVerifier, type Part, type Release } from '../../src/releases/index.ts'

const PARTS = 60
let root: string
let release: Release
let files: readonly string[]

/** A release with so many parts that they are hashed in dedicated threads. */
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'twmd-many-'))
  const folder = join(root, 'prices', 'parts')
  mkdirSync(folder, { recursive: true })
  const parts = Array.from({ length: PARTS }, (_, index) => {
    const bytes = randomBytes(index * 10_000)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    writeFileSync(join(folder, `${sha256}.parquet`), bytes)
    return { sha256, bytes: bytes.length } as Part
  })
  files = parts.map(({ sha256 }) => join(folder, `${sha256}.parquet`))
  release = { dataset: { slug: 'prices' }, manifest: { parts } } as unknown as Release
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function asFolder(file: string): void {
  rmSync(file)
  mkdirSync(file)
}

it('the verifier accepts a release whose many parts match their sha256', async () => {
  const verifier = createVerifier(root)
  expect(await verifier.check(release)).toBeUndefined()
  expect([...verifier.valid()].map(({ file }) => file).sort()).toEqual([...files].sort())
})

it.each([
  ['with changed bytes', (file: string) => writeFileSync(file, randomBytes(500_000)), /does not match/],
  ['cut off', (file: string) => writeFileSync(file, 'x'), /has 1 bytes instead of 500000/],
  ['removed', (file: string) => rmSync(file), /is missing/],
  ['replaced by a folder', asFolder, /bytes instead of|cannot be read/],
])('the verifier finds one of many parts %s, and accepts the others', async (_, damage, reason) => {
  damage(files[50]!)
  const verifier = createVerifier(root)
  expect(await verifier.check(release)).toMatchObject({ file: files[50], reason: expect.stringMatching(reason) })
  expect([...verifier.valid()]).toHaveLength(PARTS - 1)
})

it('the verifier reports a long check before it hashes the first part', async () => {
  const events: number[] = []
  const verifier = createVerifier(root, () => events.push([...verifier.valid()].length))
  await verifier.check(release)
  expect(events).toEqual([0])
})

it('if a hash thread ends early, its files are hashed one at a time without the thread', async () => {
  let [running, most] = [0, 0]
  const thread = openHashThread(async file => {
    most = Math.max(most, ++running)
    await new Promise(setImmediate)
    running--
    return `without it: ${file}`
  })
  const hashed = ['a', 'b', 'c'].map(name => thread.hash(join(root, 'nothing', name)).catch(() => thread.hash(name)))
  thread.close()
  expect(await Promise.all(hashed)).toEqual(hashed.map(() => expect.stringMatching(/^without it: /)))
  expect(await thread.hash('d')).toBe('without it: d')
  expect(most).toBe(1)
})

it('parallel checks of releases with many parts share hash threads, which end after the last check', async () => {
  let started = 0
  const count = (): void => void started++
  process.on('worker', count)
  const verifier = createVerifier(root)
  const halves = [files.slice(0, PARTS / 2 + 10), files.slice(PARTS / 2 - 10)].map(some => ({
    ...release,
    manifest: { parts: release.manifest.parts.filter((_, index) => some.includes(files[index]!)) },
  })) as Release[]
  const found = await Promise.all(halves.map(verifier.check))
  const atOnce = started
  expect(await createVerifier(root).check(release)).toBeUndefined()
  process.off('worker', count)
  expect(found).toEqual([undefined, undefined])
  expect([...verifier.valid()]).toHaveLength(PARTS)
  expect([atOnce > 0, started]).toEqual([true, 2 * atOnce])
})
