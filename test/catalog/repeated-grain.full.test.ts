import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadCatalog } from '../../catalog/index.ts'
import { service, type TestService } from '../support.ts'

const datasets = [...(await loadCatalog()).values()]
let s: TestService
beforeAll(async () => {
  s = await service({ inMemory: false })
})
afterAll(() => s.close())

it('a publication with two rows of the same grain is refused, and the served release does not change', async () => {
  for (const { slug, example } of datasets) {
    const before = await s.publish(slug, example)
    const twice = await s.publish(slug, [...example, example[0]!])
    expect.soft(twice.status, slug).toBe('refused')
    expect
      .soft(
        twice.faults.map(({ rule }) => rule),
        slug,
      )
      .toContain('grain')
    expect.soft((await s.publish(slug, example)).release, slug).toBe(before.release)
  }
}, 240_000)
