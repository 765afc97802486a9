import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PLANS, type Row } from '../../catalog/index.ts'
import { createKeyedSemaphore } from '../../src/access/semaphore.ts'
import { Refusal } from '../../src/core/index.ts'
import { NOW, service, type TestService } from '../support.ts'
import { balanced, books, holder } from './ledger.ts'

const refused = (reason: unknown): unknown[] =>
  reason instanceof Refusal ? [reason.status, reason.code, reason.facts['retry_after']] : [reason]
const LIMITED = [429, 'concurrency_limited', 1]

/** Enters and notes who was let in, in that order. */
function visitors(lines: ReturnType<typeof createKeyedSemaphore>, atOnce: number) {
  const inside: string[] = []
  const doors = new Map<string, () => void>()
  return {
    inside,
    arrive: (who: string, name = 'account') =>
      lines.acquire(name, atOnce).then(leave => {
        inside.push(who)
        doors.set(who, leave)
      }),
    leave: (who: string) => doors.get(who)!(),
  }
}

describe('a keyed semaphore', () => {
  it('admits so many at once; the rest follow in order of arrival', async () => {
    const { inside, arrive, leave } = visitors(createKeyedSemaphore(), 2)
    const all = ['a', 'b', 'c', 'd', 'e'].map(who => arrive(who))
    await all[1]
    expect(inside).toEqual(['a', 'b'])
    leave('b')
    await all[2]
    expect(inside).toEqual(['a', 'b', 'c'])
    leave('a')
    leave('c')
    await Promise.all(all)
    expect(inside).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  it('queues so many and refuses the next, until there is room again', async () => {
    const { inside, arrive, leave } = visitors(createKeyedSemaphore(3), 1)
    const all = ['a', 'b', 'c', 'd'].map(who => arrive(who))
    await all[0]
    expect(await arrive('e').catch(refused)).toEqual(LIMITED)
    leave('a')
    await all[1]
    const late = arrive('f')
    for (const who of ['b', 'c', 'd']) {
      leave(who)
      await sleep(0)
    }
    await Promise.all([...all, late])
    expect(inside).toEqual(['a', 'b', 'c', 'd', 'f'])
  })

  it('queues each name by itself', async () => {
    const { inside, arrive } = visitors(createKeyedSemaphore(0), 1)
    await arrive('a', 'one')
    expect(await arrive('b', 'one').catch(refused)).toEqual(LIMITED)
    await arrive('c', 'other')
    expect(inside).toEqual(['a', 'c'])
  })

  it('refuses a caller who waited too long, and nobody waits behind them', async () => {
    const { inside, arrive, leave } = visitors(createKeyedSemaphore(64, 20), 1)
    await arrive('a')
    expect(await Promise.all(['b', 'c'].map(who => arrive(who).catch(refused)))).toEqual([LIMITED, LIMITED])
    leave('a')
    await arrive('d')
    expect(inside).toEqual(['a', 'd'])
  })

  it('frees one slot per admission, however often it is released', async () => {
    const { inside, arrive, leave } = visitors(createKeyedSemaphore(), 1)
    const [first, ...rest] = ['a', 'b', 'c'].map(who => arrive(who))
    await first
    for (let time = 0; time < 3; time++) leave('a')
    await rest[0]
    await sleep(10)
    expect(inside).toEqual(['a', 'b'])
    leave('b')
    await rest[1]
  })
})

describe('reads beyond the number a plan allows at once', () => {
  let s: TestService
  beforeAll(async () => {
    s = await service({ examples: false })
    const [entry] = s.dataset('theme-taxonomy').example as readonly Row[]
    await s.publish(
      'theme-taxonomy',
      Array.from({ length: 2_000 }, (_, index) => ({ ...entry, symbol: String(10_000 + index) })),
    )
  })
  afterAll(() => s.close())

  const THEMES = '/v2/datasets/theme-taxonomy?limit=1000'

  it('queue and are answered; beyond the queue they are refused, for free', async () => {
    const account = holder(s, 'free', 'crowd@example.test', NOW)
    const { requestsAtOnce } = PLANS.free
    const answers = await Promise.all(Array.from({ length: 300 }, () => s.get(THEMES, account.key)))
    const [answered, refusals] = [200, 429].map(status => answers.filter(({ statusCode }) => statusCode === status)) as [
      typeof answers,
      typeof answers,
    ]
    expect(answered.length + refusals.length).toBe(300)
    expect(answered.length).toBeGreaterThanOrEqual(requestsAtOnce + 64)
    expect(refusals.length).toBeGreaterThan(0)
    for (const refusal of refusals) {
      expect(refusal.headers).toMatchObject({ 'retry-after': '1', 'x-credits-charged': '0' })
      expect(refusal.json().error).toMatchObject({
        ...{ error_code: 'concurrency_limited', blocking_gate: 'rate_limit', retry_after: 1, allowed_at_once: requestsAtOnce },
      })
    }
    expect(balanced(s.dir, account.accountId)).toEqual({ requests: answered.length, credits: answered.length })
    await expect.poll(() => books(s.dir, account.accountId).errors).toBe(refusals.length)
    expect((await s.get(THEMES, account.key)).statusCode).toBe(200)
  })
})
