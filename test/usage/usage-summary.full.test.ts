import { afterAll, beforeAll, it } from 'vitest'
import { openSummary } from './summary.ts'

let summary: Awaited<ReturnType<typeof openSummary>>
beforeAll(async () => {
  summary = await openSummary()
})
afterAll(() => summary.service.close())

it('the usage summary equals the sums of 25 random series of calls, in total, by day, by dataset and by key', async () => {
  await summary.checkRandomCalls(25)
})
