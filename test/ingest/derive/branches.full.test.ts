import { afterEach, beforeEach, expect, it } from 'vitest'
import { service, type TestService } from '../../support.ts'
import { BRANCHES, branchesOn, FIRMS, RESOLVED, UNRESOLVED } from './branches.ts'

let s: TestService
let b: ReturnType<typeof branchesOn>
beforeEach(async () => {
  s = await service({ examples: false, indexed: false })
  b = branchesOn(s)
})
afterEach(() => s.close())

it("a branch gets its firm's code from a firm master that was published first", async () => {
  await b.firms(['1040', '台範'], ['9100', '範金'])
  const { publications } = await b.branches()
  expect(publications.map(({ dataset, outcome }) => [dataset, outcome.status])).toEqual([
    [BRANCHES, 'published'],
    [BRANCHES, 'published'],
  ])
  expect(await b.parents()).toEqual(RESOLVED)
})

it('a synthetic firm is not matched to a branch', async () => {
  await b.branches()
  await s.publish(FIRMS, [{ ...s.dataset(FIRMS).example[0], broker_id: '1040', broker_name: '台範' }], { synthetic: true })
  expect((await b.parents())['1042']).toEqual(['name:台範', ['address_missing', UNRESOLVED]])
})
