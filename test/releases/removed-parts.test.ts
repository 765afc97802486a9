import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createVerifier, type Part, type Release } from '../../src/releases/index.ts'

/** Two parts of a release, and the functions that verify them. */
function twoParts() {
  const root = mkdtempSync(join(tmpdir(), 'twmd-removed-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const folder = join(root, 'prices', 'parts')
  mkdirSync(folder, { recursive: true })
  const texts = ['one', 'other']
  const parts = texts.map(text => ({ sha256: createHash('sha256').update(text).digest('hex'), bytes: text.length }) as Part)
  const fileOf = ({ sha256 }: Part): string => join(folder, `${sha256}.parquet`)
  const write = (index: number, text = texts[index]!): void => writeFileSync(fileOf(parts[index]!), text)
  for (const index of texts.keys()) write(index)
  const release = { dataset: { slug: 'prices' }, manifest: { parts }, pathOf: fileOf } as unknown as Release
  return { verifier: createVerifier(root), release, parts, write, remove: (of: number) => rmSync(fileOf(parts[of]!)) }
}

it('the verifier forgets removed parts, valid or damaged, and keeps existing parts', async () => {
  const { verifier, release, parts, write, remove } = twoParts()
  expect(await verifier.check(release)).toBeUndefined()
  write(0, 'oNe')
  expect(await verifier.checkFiles(release)).toMatchObject({ reason: expect.stringContaining('sha256') })
  await verifier.forgetRemoved(release.dataset)
  expect(verifier.trackedParts()).toBe(2)
  remove(0)
  expect(await verifier.checkFiles(release)).toMatchObject({ reason: expect.stringContaining('missing') })
  await verifier.forgetRemoved(release.dataset)
  expect(verifier.trackedParts()).toBe(1)
  expect([...verifier.valid()].map(({ part }) => part.sha256)).toEqual([parts[1]!.sha256])
})

it('if a damaged part is removed and restored, it gets a new path that the engine has not cached', async () => {
  const { verifier, release, parts, write, remove } = twoParts()
  await verifier.check(release)
  const pathsOf = (): readonly string[] => parts.map(verifier.withFreshPaths(release).pathOf)
  const seen = [pathsOf()[0]]
  for (let time = 0; time < 3; time++) {
    write(0, 'oNe')
    await verifier.checkFiles(release)
    remove(0)
    await verifier.forgetRemoved(release.dataset)
    write(0)
    expect(await verifier.check(release)).toBeUndefined()
    expect(seen).not.toContain(pathsOf()[0])
    seen.push(pathsOf()[0])
  }
  expect(pathsOf()[1]).toBe(parts.map(release.pathOf)[1])
})
