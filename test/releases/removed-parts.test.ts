import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { collectReleases } from '../../ingest/history/index.ts'
import { createVerifier, type Part, type Release } from '../../src/releases/index.ts'
import { releaseIds, stored } from '../fixtures/publish/store.ts'
import { SLUG, sixReleases } from '../fixtures/releases/six-releases.ts'

it('a service forgets the parts of releases that were let go, with the next release', async () => {
  const history = await sixReleases()
  onTestFinished(() => history.close())
  const { s, workspace } = history
  for (const id of releaseIds(workspace.releases, SLUG)) await s.releases.pinned(s.dataset(SLUG), id)
  const before = s.releases.scrub.progress().parts
  await collectReleases(workspace, s.dataset(SLUG), { since: new Date(history.now()), immediately: true })
  expect((await history.publish('2026-02-10', 6)).faults).toEqual([])
  await history.takeUp()
  const held = new Set(
    releaseIds(workspace.releases, SLUG).flatMap(id => stored(workspace.releases, SLUG, id).manifest.parts.map(part => part.sha256)),
  )
  expect(before).toBeGreaterThan(held.size)
  expect(s.releases.scrub.progress().parts).toBe(held.size)
})

/** Two parts of a release, and what verifies them. */
function twoParts() {
  const root = mkdtempSync(join(tmpdir(), 'twmd-removed-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const folder = join(root, 'prices', 'parts')
  mkdirSync(folder, { recursive: true })
  const texts = ['one', 'other']
  const parts = texts.map(text => ({ sha256: createHash('sha256').update(text).digest('hex'), bytes: text.length }) as Part)
  const fileOf = ({ sha256 }: Part): string => join(folder, `${sha256}.parquet`)
  const write = (of: number, text = texts[of]!): void => writeFileSync(fileOf(parts[of]!), text)
  for (const of of texts.keys()) write(of)
  const release = { dataset: { slug: 'prices' }, manifest: { parts }, pathOf: fileOf } as unknown as Release
  return { verifier: createVerifier(root), release, parts, write, remove: (of: number) => rmSync(fileOf(parts[of]!)) }
}

it('nothing is remembered of a part that is gone, whatever was found of it, and all of one that is there', async () => {
  const { verifier, release, parts, write, remove } = twoParts()
  expect(await verifier.check(release)).toBeUndefined()
  write(0, 'oNe')
  expect(await verifier.checkFiles(release)).toMatchObject({ reason: expect.stringContaining('sha256') })
  await verifier.forgetRemoved(release.dataset)
  expect(verifier.known()).toBe(2)
  remove(0)
  expect(await verifier.checkFiles(release)).toMatchObject({ reason: expect.stringContaining('missing') })
  await verifier.forgetRemoved(release.dataset)
  expect(verifier.known()).toBe(1)
  expect([...verifier.valid()].map(({ part }) => part.sha256)).toEqual([parts[1]!.sha256])
})

it('a part that was damaged, is forgotten and comes back has a path of which the engine knows nothing', async () => {
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
