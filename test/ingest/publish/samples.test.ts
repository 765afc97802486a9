import { afterEach, beforeEach, expect, it } from 'vitest'
import { refusalOf } from '../../fixtures/publish/refusal.ts'
import { stored } from '../../fixtures/publish/store.ts'
import { type Publisher, publisher } from './publisher.ts'

const FIRMS = 'securities-firm-master'
let s: Publisher
beforeEach(async () => {
  s = await publisher()
})
afterEach(() => s.close())

it('real rows replace sample rows entirely, and sample rows over real rows are refused', async () => {
  const firm = (broker_id: string) => ({ ...s.dataset(FIRMS).example[0]!, broker_id })
  await s.publish(FIRMS, ['1000', '1001', '1002'].map(firm), { synthetic: true })
  expect(stored(s.workspace.releases, FIRMS).manifest.synthetic).toBe(true)
  await s.publish(FIRMS, [firm('9800')])
  const real = stored(s.workspace.releases, FIRMS).manifest
  expect([real.synthetic, real.parent, real.statistics.rows, real.changes.rows_added]).toEqual([false, null, 1, 1])
  expect(await s.rows(FIRMS, 'broker_id')).toEqual([{ broker_id: '9800' }])
  const samples = ['1000', '1001'].map(firm)
  expect((await refusalOf(s, FIRMS, [s.partition(samples)], { synthetic: true })).faults).toMatchObject([{ rule: 'synthetic_over_real' }])
})
