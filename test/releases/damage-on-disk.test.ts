import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createLog } from '../../src/core/index.ts'
import { openReleases } from '../../src/releases/index.ts'
import { day } from '../fixtures/publish/rows.ts'
import { stored } from '../fixtures/publish/store.ts'
import { flipBit } from '../fixtures/releases/flip-bit.ts'
import { service, type TestService } from '../support.ts'

const SLUG = 'institutional-positioning'
let s: TestService
let parent: string
let newest: ReturnType<typeof stored>

/** Two releases with the same base part. The newer release has a delta part. */
beforeAll(async () => {
  s = await service({ examples: false, inMemory: false })
  await s.publish(SLUG, [...day('2026-06-26', 1), ...day('2026-06-29', 2)])
  parent = stored(s.workspace.releases, SLUG).release
  await s.publish(SLUG, day('2026-06-30', 3))
  newest = stored(s.workspace.releases, SLUG)
})
afterAll(() => s.close())

/** The release that a newly started service serves. */
async function servedAtStart() {
  const releases = await openReleases({ root: s.workspace.releases, catalog: s.catalog, log: createLog('silent') })
  releases.close()
  const { id, degraded } = releases.current(s.dataset(SLUG))
  return { id, degraded }
}

/** Runs a check while a file is damaged. */
async function whileDamaged(file: string, damage: (file: string) => void, check: () => Promise<void>): Promise<void> {
  const whole = readFileSync(file)
  damage(file)
  await check()
  writeFileSync(file, whole)
}

const DAMAGES: Readonly<Record<string, (file: string) => void>> = {
  'a flipped bit': file => flipBit(file, 400),
  'its last bytes cut off': file => truncateSync(file, readFileSync(file).length - 8),
  'no bytes': file => truncateSync(file, 0),
  'its file removed': file => rmSync(file),
}

it('D2: a service that starts with a damaged part, manifest, seal or spans file serves the parent of that release', async () => {
  const { paths, release, delta } = newest
  const files = {
    part: paths.part(delta[0]!.sha256),
    manifest: paths.manifest(release),
    seal: paths.seal(release),
    spans: paths.spans(release),
  }
  for (const [name, file] of Object.entries(files))
    for (const [damage, apply] of Object.entries(DAMAGES))
      await whileDamaged(file, apply, async () =>
        expect.soft(await servedAtStart(), `${name} with ${damage}`).toEqual({ id: parent, degraded: true }),
      )
  expect(await servedAtStart()).toEqual({ id: newest.release, degraded: false })
})

it('D2: the newest intact release is served as degraded if the file "current" is not readable', async () => {
  for (const [damage, apply] of Object.entries({
    ...DAMAGES,
    'another release’s id': (file: string) => writeFileSync(file, '20250101T000000000Z\n'),
  }))
    await whileDamaged(newest.paths.current, apply, async () =>
      expect.soft(await servedAtStart(), damage).toEqual({ id: newest.release, degraded: true }),
    )
})

it('D2: the status of a dataset at start is unavailable if no release is intact, and building if it has no release', async () => {
  await whileDamaged(newest.paths.part(newest.base[0]!.sha256), DAMAGES['a flipped bit']!, async () => {
    const releases = await openReleases({ root: s.workspace.releases, catalog: s.catalog, log: createLog('silent') })
    releases.close()
    expect(() => releases.served(s.dataset(SLUG))).toThrow(expect.objectContaining({ code: 'data_unavailable' }))
    expect(releases.served(s.dataset('theme-taxonomy'))).toBe(null)
  })
})

it('D2: a publication that builds on a part with a flipped bit is refused, and the error names the part', async () => {
  await whileDamaged(newest.paths.part(newest.base[0]!.sha256), DAMAGES['a flipped bit']!, async () => {
    await expect(s.publish(SLUG, day('2026-06-29', 9))).rejects.toThrow(newest.base[0]!.sha256.slice(0, 12))
    expect(stored(s.workspace.releases, SLUG).release).toBe(newest.release)
  })
})
