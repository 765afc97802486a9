import { rename } from 'node:fs/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { quarter, quarterly } from '../fixtures/fields/quarterly.ts'

let q: Awaited<ReturnType<typeof quarterly>>
beforeEach(async () => {
  q = await quarterly()
})
afterEach(() => q.s.close())

const view = () => q.s.dataset('earnings').fields![0]!
const atHand = (entity: string) => q.s.newest.factsOf(view(), q.s.releases.served(q.s.dataset('earnings'))!, entity)?.[0]?.period

it('the newest rows of a former release stay cached while the two releases share parts', async () => {
  await q.publish('2026-05-20', quarter('2026-Q1', 1, '2026-05-14'))
  const former = q.s.releases.served(q.s.dataset('earnings'))!
  await q.s.newest.refresh()
  await q.publish('2026-06-10', quarter('2026-Q1', 9, '2026-06-04', '2317'))
  await q.s.newest.refresh()
  expect(atHand('2330')).toBe('2026-Q1')
  expect(q.s.newest.factsOf(view(), former, '2330')?.[0]?.cells['eps']).toBe('1')
})

it('if a part cannot be read, the failure is logged once, and rows read before stay cached', async () => {
  await q.publish('2026-05-20', quarter('2026-Q1', 1, '2026-05-14'))
  const former = q.s.releases.served(q.s.dataset('earnings'))!
  await q.s.newest.refresh()
  await q.publish('2026-06-10', quarter('2026-Q1', 9, '2026-06-04', '2317'))
  const { manifest, pathOf } = q.s.releases.served(q.s.dataset('earnings'))!
  const formerParts = new Set(former.manifest.parts.map(({ sha256 }) => sha256))
  const [added] = manifest.parts.filter(({ sha256 }) => !formerParts.has(sha256))
  await rename(pathOf(added!), `${pathOf(added!)}.gone`)
  for (let time = 0; time < 5; time++) await q.s.newest.refresh()
  expect(q.s.lines.filter(line => line.includes('reading the newest rows'))).toHaveLength(1)
  expect(atHand('2317')).toBeUndefined()
  expect(q.s.newest.factsOf(view(), former, '2330')?.[0]?.cells['eps']).toBe('1')
})
