import { afterAll, beforeAll, expect, it } from 'vitest'
import { day } from '../../fixtures/publish/rows.ts'
import { service, type TestService } from '../../support.ts'

const SLUG = 'institutional-positioning'
let s: TestService
beforeAll(async () => {
  s = await service({ examples: false })
})
afterAll(() => s.close())

it('rows read into memory stay valid when a publication writes the same part again meanwhile', async () => {
  await s.publish(SLUG, day('2026-06-29', 1))
  const release = s.releases.current(s.dataset(SLUG))
  const read = async (): Promise<string> => {
    await s.publish(SLUG, day('2026-06-29', 2))
    await s.publish(SLUG, day('2026-06-29', 1))
    return 'read'
  }
  expect(await s.releases.takeIn(release, release.manifest.parts, read)).toBe('read')
})
