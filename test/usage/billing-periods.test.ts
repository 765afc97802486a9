import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { PLANS } from '../../catalog/index.ts'
import { createGate } from '../../src/access/index.ts'
import { addDays, taipeiDay } from '../../src/core/index.ts'
import { NOW, service, type TestService } from '../support.ts'
import { balanced, type Holder, holder, spend, usageOf } from './ledger.ts'

let s: TestService
let currentTime = NOW
const clock = () => currentTime
beforeAll(async () => {
  s = await service({ now: clock })
})
afterAll(() => s.close())
afterEach(() => {
  currentTime = NOW
})

const FLOWS = '/v2/datasets/institutional-positioning?symbol=2330'
const ALL = PLANS.pro.creditsPerMonth
const HOUR_MS = 3_600_000

/**
 * Reads once at the given time.
 * @returns status, remaining credits and reset time of the response
 */
async function readAt({ key }: Holder, time: string | number) {
  currentTime = new Date(time)
  const { statusCode, headers } = await s.get(FLOWS, key)
  return [statusCode, Number(headers['x-credits-remaining']), headers['x-credits-reset']]
}

/** Consecutive months of different lengths, also across a year's end. */
const MONTHS = ['2026-08', '2026-03', '2028-03', '2027-01', '2026-12'] as const
const midnight = (month: string): number => Date.parse(`${month}-01T00:00:00+08:00`)
const following = (month: string): string => addDays(`${month}-28`, 4).slice(0, 7)

describe('billing periods', () => {
  it.each(MONTHS)('M5: the period before %s ends with its last millisecond in Taipei time', async month => {
    const account = holder(s, 'pro', `${month}@example.test`, NOW)
    const [first, next] = [`${month}-01T00:00:00.000+08:00`, `${following(month)}-01T00:00:00.000+08:00`]
    expect(new Date(midnight(month)).toISOString()).toMatch(/T16:00:00\.000Z$/)
    expect(await readAt(account, midnight(month) - 1)).toEqual([200, ALL - 2, first])
    expect(await readAt(account, midnight(month))).toEqual([200, ALL - 2, next])
    expect(await readAt(account, midnight(month) + 1)).toEqual([200, ALL - 4, next])
    // In UTC the month starts eight hours later, but this boundary has no effect.
    expect(await readAt(account, midnight(month) + 8 * HOUR_MS)).toEqual([200, ALL - 6, next])
    const former = taipeiDay(new Date(midnight(month) - 1)).slice(0, 7)
    expect(usageOf(s.dir, account.accountId).periods).toEqual([
      { period: former, requests: 1, credits: 2 },
      { period: month, requests: 3, credits: 6 },
    ])
    balanced(s.dir, account.accountId)
  })

  it('M5: credits that are used up return with the next period, not before', async () => {
    const account = holder(s, 'pro', 'spent@example.test', NOW)
    await spend(s, account, ALL, 1, NOW)
    const boundary = midnight('2026-08')
    expect((await readAt(account, boundary - 1))[0]).toBe(402)
    expect((await s.get(FLOWS, account.key)).json().error).toMatchObject({
      resets_at: '2026-08-01T00:00:00.000+08:00',
      credits_remaining: 1,
    })
    expect(await readAt(account, boundary)).toEqual([200, ALL - 2, '2026-09-01T00:00:00.000+08:00'])
  })

  it('M5: a clock jump across the boundary leaves each period unchanged', async () => {
    const account = holder(s, 'pro', 'jumps@example.test', NOW)
    const boundary = midnight('2026-08')
    const left: unknown[] = []
    for (const jump of [-0.5, 0.5, -0.5, 0.5, -0.5, 0.5]) left.push((await readAt(account, boundary + jump * HOUR_MS))[1])
    expect(left).toEqual([ALL - 2, ALL - 2, ALL - 4, ALL - 4, ALL - 6, ALL - 6])
    const { entries, periods } = usageOf(s.dir, account.accountId)
    expect(periods.map(({ period, credits }) => [period, credits])).toEqual([
      ['2026-07', 6],
      ['2026-08', 6],
    ])
    expect(entries.filter(entry => entry.at.startsWith('2026-07'))).toHaveLength(3)
    expect(balanced(s.dir, account.accountId)).toEqual({ requests: 6, credits: 12 })
  })

  it('M5: a read is charged to the period in which it was admitted', async () => {
    const account = holder(s, 'pro', 'midway@example.test', NOW)
    const gate = createGate({
      fileSecrets: ['signs'],
      keys: s.control.keys,
      ledger: s.control.ledger,
      creditEntries: s.control.creditEntries,
      clock,
      monotonicNow: () => 0,
    })
    const flows = s.dataset('institutional-positioning')
    await spend(s, account, ALL, 2, NOW)
    const boundary = midnight('2026-08')
    currentTime = new Date(boundary - 1)
    const [grant, last] = [
      gate.authenticate(account.key, '192.0.2.1'),
      gate.reserveCredits(gate.authenticate(account.key, '192.0.2.1'), flows),
    ]
    currentTime = new Date(boundary)
    const first = gate.reserveCredits(grant, flows)
    await last.settle({ requestId: 'req_last_of_july', rows: 1 })
    currentTime = new Date(boundary - HOUR_MS)
    await first.settle({ requestId: 'req_first_of_august', rows: 1 })
    const { entries, periods } = usageOf(s.dir, account.accountId)
    expect(periods.map(({ period, credits }) => [period, credits])).toEqual([
      ['2026-07', ALL],
      ['2026-08', 2],
    ])
    const monthOf = (id: string) => entries.find(({ request_id }) => request_id === id)!.at.slice(0, 7)
    expect([monthOf('req_last_of_july'), monthOf('req_first_of_august')]).toEqual(['2026-07', '2026-08'])
    expect(gate.quotaStatus(grant).balance).toMatchObject({ period: '2026-07', used: ALL, remaining: 0 })
    balanced(s.dir, account.accountId)
  })

  it('M5: credits used by a closed account count once for the next account with its address', async () => {
    for (let reads = 1; reads <= 4; reads++) {
      const account = holder(s, 'pro', 'again@example.test', NOW)
      expect(await readAt(account, NOW.getTime())).toEqual([200, ALL - 2 * reads, '2026-08-01T00:00:00.000+08:00'])
      s.control.closeAccount(account.accountId, `req_closing_${reads}`, NOW)
    }
    const next = holder(s, 'pro', 'again@example.test', NOW)
    expect((await readAt(next, midnight('2026-08')))[1]).toBe(ALL - 2)
  })
})
