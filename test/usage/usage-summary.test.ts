import { afterAll, beforeAll, expect, it } from 'vitest'
import { NOW } from '../support.ts'
import { holder } from './ledger.ts'
import { NOTHING, openSummary } from './summary.ts'

let summary: Awaited<ReturnType<typeof openSummary>>
beforeAll(async () => {
  summary = await openSummary()
})
afterAll(() => summary.service.close())

it('the usage summary equals the sums of 3 random series of calls, in total, by day, by dataset and by key', async () => {
  await summary.checkRandomCalls(3)
})

it('the usage summary is zero for an account without calls', async () => {
  const { key } = holder(summary.service, 'free', 'idle@example.test', NOW)
  expect((await summary.service.get('/v2/account/usage-summary', key)).json()).toMatchObject({
    totals: { ...NOTHING, granted: 0, refunded: 0 },
    by_day: [],
    by_dataset: [],
    by_key: [],
    plan_id: 'free',
    credits: { used: 0, remaining: 1_000 },
  })
})
