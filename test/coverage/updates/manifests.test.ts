import { appendFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createPublications } from '../../../src/coverage/index.ts'
import { day } from '../../fixtures/publish/rows.ts'
import { stored } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'

const SLUG = 'institutional-positioning'
let s: TestService
let releases: readonly string[]
beforeAll(async () => {
  s = await service({ examples: false, inMemory: false })
  for (const [seed, date] of ['2026-06-24', '2026-06-25', '2026-06-26'].entries()) await s.publish(SLUG, day(date, seed + 1))
  releases = await listed(s)
  expect(releases).toHaveLength(3)
})
afterAll(() => s.close())

const listed = async (target: TestService): Promise<readonly string[]> =>
  (await target.get('/v2/updates?since=2000-01-01')).json().data.map((update: { release_version: string }) => update.release_version)

/** Releases that the updates feed of a newly started service lists. */
async function afterRestart(): Promise<readonly string[]> {
  const lines: string[] = []
  const log = (event: string, facts: object = {}): void => void lines.push(JSON.stringify({ event, ...facts }))
  const fresh = createPublications({ root: s.workspace.releases, catalog: s.catalog, releases: s.releases, log })
  await fresh.refresh()
  logged = lines
  return fresh.all().map(({ release }) => release)
}
let logged: readonly string[] = []

it('the updates feed skips a damaged manifest with a log line and continues with its parent', async () => {
  const { paths } = stored(s.workspace.releases, SLUG)
  appendFileSync(paths.manifest(releases[1]!), ' ')
  expect(await afterRestart()).toEqual([releases[0], releases[2]])
  expect(logged).toEqual([expect.stringContaining('release damaged')])
  expect(logged[0]).toContain(releases[1])
})
