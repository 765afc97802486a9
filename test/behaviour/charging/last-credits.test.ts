import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PLANS } from '../../../catalog/index.ts'
import { NOW, service, type TestService } from '../../support.ts'
import { balanced, holder, spend, usageOf } from '../../usage/ledger.ts'

let s: TestService
beforeAll(async () => {
  s = await service()
})
afterAll(() => s.close())

const FLOWS = '/v2/datasets/institutional-positioning?symbol=2330'
const RISK = '/v2/datasets/company-risk-events?symbol=2330'
const FIRMS = '/v2/datasets/securities-firm-master'
const ALL = PLANS.pro.creditsPerMonth

type Answer = Awaited<ReturnType<TestService['get']>>
const charged = (answers: readonly Answer[]): number => answers.reduce((sum, { headers }) => sum + Number(headers['x-credits-charged']), 0)
const answered = (answers: readonly Answer[]): readonly Answer[] => answers.filter(({ statusCode }) => statusCode === 200)

describe('the last credits of an account', () => {
  it('M1: of 500 parallel 2-credit reads over three keys, 100 credits pay for exactly 50', async () => {
    const account = holder(s, 'pro', 'last@example.test', NOW)
    const keys = [account.key, account.another(), account.another()]
    await spend(s, account, ALL, 100, NOW)
    const answers = await Promise.all(Array.from({ length: 500 }, (_, index) => s.get(FLOWS, keys[index % keys.length])))
    expect(answered(answers)).toHaveLength(50)
    expect(answers.filter(({ statusCode }) => statusCode === 402)).toHaveLength(450)
    expect(charged(answers)).toBe(100)
    for (const { headers } of answers) expect(Number(headers['x-credits-remaining'])).toBeGreaterThanOrEqual(0)
    expect(balanced(s.dir, account.accountId)).toEqual({ requests: 51, credits: ALL })
    const sold = usageOf(s.dir, account.accountId).entries.filter(({ dataset }) => dataset !== 'events')
    expect(sold.map(({ request_id }) => request_id).sort()).toEqual(
      answered(answers)
        .map(({ headers }) => String(headers['x-request-id']))
        .sort(),
    )
    expect((await s.get(FLOWS, account.key)).headers['x-credits-remaining']).toBe('0')
  })

  it('M1: parallel reads of different prices never overspend, and a read gets 402 only if credits are missing', async () => {
    const account = holder(s, 'pro', 'mixed@example.test', NOW)
    await spend(s, account, ALL, 100, NOW)
    const urls = [FIRMS, FLOWS, RISK, FLOWS, RISK]
    const answers = await Promise.all(Array.from({ length: 200 }, (_, index) => s.get(urls[index % urls.length]!, account.key)))
    const refused = answers.filter(({ statusCode }) => statusCode === 402).map(answer => answer.json().error)
    expect(answered(answers).length + refused.length).toBe(200)
    for (const { credits_needed, credits_remaining } of refused) expect(credits_remaining).toBeLessThan(credits_needed)
    expect(charged(answers)).toBe(100)
    expect(balanced(s.dir, account.accountId).credits).toBe(ALL)
  })

  it('M1: an account without credits does not affect another account', async () => {
    const [poor, rich] = [holder(s, 'pro', 'poor@example.test', NOW), holder(s, 'pro', 'rich@example.test', NOW)]
    await spend(s, poor, ALL, 0, NOW)
    const answers = await Promise.all([poor, rich, poor, rich].map(({ key }) => s.get(FLOWS, key)))
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([402, 200, 402, 200])
    expect(balanced(s.dir, rich.accountId)).toEqual({ requests: 2, credits: 4 })
  })
})
