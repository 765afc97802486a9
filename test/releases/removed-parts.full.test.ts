import { expect, it, onTestFinished } from 'vitest'
import { collectReleases } from '../../ingest/history/index.ts'
import { releaseIds, stored } from '../fixtures/publish/store.ts'
import { SLUG, sixReleases } from '../fixtures/releases/six-releases.ts'

it('a service forgets the parts of deleted releases when the next release is activated', async () => {
  const history = await sixReleases()
  onTestFinished(() => history.close())
  const { s, workspace } = history
  for (const id of releaseIds(workspace.releases, SLUG)) await s.releases.pinned(s.dataset(SLUG), id)
  const before = s.releases.scrub.progress().parts
  await collectReleases(workspace, s.dataset(SLUG), { since: new Date(history.now()), immediately: true })
  expect((await history.publish('2026-02-10', 6)).faults).toEqual([])
  await history.takeUp()
  const partNames = new Set(
    releaseIds(workspace.releases, SLUG).flatMap(id => stored(workspace.releases, SLUG, id).manifest.parts.map(part => part.sha256)),
  )
  expect(before).toBeGreaterThan(partNames.size)
  expect(s.releases.scrub.progress().parts).toBe(partNames.size)
})
