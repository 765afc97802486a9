import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createPublications } from '../../../src/coverage/index.ts'
import { day } from '../../fixtures/publish/rows.ts'
import { stored } from '../../fixtures/publish/store.ts'
import { scrubbed } from '../../fixtures/releases/scrubbed.ts'
import { service, type TestService } from '../../support.ts'

const SLUG = 'institutional-positioning'
let s: TestService
let releases: readonly string[]
beforeEach(async () => {
  s = await service({ examples: false })
  for (const [seed, date] of ['2026-06-24', '2026-06-25', '2026-06-26'].entries()) await s.publish(SLUG, day(date, seed + 1))
  releases = await listed(s)
  expect(releases).toHaveLength(3)
})
afterEach(() => s.close())

const listed = async (target: TestService): Promise<readonly string[]> =>
  (await target.get('/v2/updates?since=2000-01-01')).json().data.map((update: { release_version: string }) => update.release_version)

/** Releases that the updates feed of a newly started service lists. */
async function afterRestart(): Promise<readonly string[]> {
  const fresh = createPublications({ root: s.workspace.releases, catalog: s.catalog, releases: s.releases, log: () => {} })
  await fresh.refresh()
  return fresh.all().map(({ release }) => release)
}
it('the updates feed reads a manifest once and keeps its entry after the file is removed', async () => {
  const { paths } = stored(s.workspace.releases, SLUG)
  rmSync(paths.release(releases[2]!), { recursive: true })
  await s.publish(SLUG, day('2026-06-29', 9))
  expect(await listed(s)).toHaveLength(3)
  expect(await afterRestart()).toHaveLength(3)
})

it('if a release is not served because it was withdrawn or its publication was killed, the updates feed omits it', async () => {
  const { paths } = stored(s.workspace.releases, SLUG)
  writeFileSync(paths.current, `${releases[1]}\n`)
  await s.releases.refresh()
  await s.publications.refresh()
  expect(await listed(s)).toEqual(releases.slice(1))
  // This release is published after the withdrawal, so the withdrawn release is not its ancestor
  // and is not listed.
  await s.publish(SLUG, day('2026-06-29', 9))
  const after = await listed(s)
  expect([after.slice(1), after.includes(releases[0]!)]).toEqual([releases.slice(1), false])
})

it('the updates feed omits a damaged release while its parent is served', async () => {
  const { files, delta } = stored(s.workspace.releases, SLUG)
  const file = files.find(name => name.includes(delta[0]!.sha256))!
  const bytes = readFileSync(file)
  const copy = `${file}.whole`
  cpSync(file, copy)
  bytes[bytes.length >> 1]! ^= 1
  writeFileSync(file, bytes)
  await scrubbed(s.releases)
  await s.publications.refresh()
  expect(await listed(s)).toEqual(releases.slice(1))
})

it('the updates feed omits samples once real rows replace them', async () => {
  const fresh = await service({ examples: false })
  await fresh.publish(SLUG, day('2026-06-24', 1), { synthetic: true })
  const [sample] = await listed(fresh)
  expect((await fresh.get('/v2/updates')).json().data[0].synthetic).toBe(true)
  await fresh.publish(SLUG, day('2026-06-24', 2))
  const after = await listed(fresh)
  await fresh.close()
  expect([after.length, after.includes(sample!)]).toEqual([1, false])
})
