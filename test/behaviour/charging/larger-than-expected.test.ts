import { request } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { trade, weekdays } from '../../fixtures/publish/rows.ts'
import { NOW, service, type TestService } from '../../support.ts'
import { holder, usageOf } from '../../usage/ledger.ts'

let s: TestService
let address: string
beforeAll(async () => {
  s = await service({ answerBytes: 2 ** 24 })
  const rows = weekdays('2015-01-05', 2_800).map(day => trade('1101', day, 1_000))
  await s.publish('institutional-positioning', rows, { accept: ['closed_day', 'row_count_drift', 'dates_backwards'] })
  address = await s.app.listen({ port: 0 })
})
afterAll(() => s.close())

/**
 * Reads over a real socket, because a cached answer bypasses the framework.
 *
 * @returns the charged credits, according to the headers
 */
const read = (key: string, query: string, coding: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = { 'x-api-key': key, 'accept-encoding': coding }
    const sent = request(`${address}/v2/datasets/institutional-positioning?symbol=1101&${query}`, { headers }, answer => {
      answer.resume()
      answer.on('end', () => resolve(answer.statusCode === 200 ? Number(answer.headers['x-credits-charged']) : Number.NaN))
    })
    sent.on('error', reject)
    sent.end()
  })

it('if an answer is larger than its estimate, it is charged once, and so is each concurrent read', async () => {
  const { key, accountId } = holder(s, 'pro', 'large@example.test', NOW)
  for (const limit of [2_400, 2_450, 2_500]) {
    const before = usageOf(s.dir, accountId).ledger
    const small = [1, 2, 3, 4].map(each => read(key, `limit=${limit - 2_390 + each}`, 'identity'))
    const charged = await Promise.all([...small, read(key, `columns=trade_date&limit=${limit}`, 'gzip')])
    const after = usageOf(s.dir, accountId).ledger
    expect(after.requests - before.requests).toBe(5)
    expect(after.credits - before.credits).toBe(charged.reduce((sum, each) => sum + each, 0))
  }
})
