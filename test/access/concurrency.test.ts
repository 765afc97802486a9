import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PLANS, type Row } from '../../catalog/index.ts'
import { createKeyedSemaphore } from '../../src/access/semaphore.ts'
import { Refusal } from '../../src/core/index.ts'
import { NOW, service, type TestService } from '../support.ts'
import { balanced, holder, usageOf } from '../usage/ledger.ts'

const refused = (reason: unknown): unknown[] =>
  reason instanceof Refusal ? [reason.status, reason.code, reason.facts['retry_after']] : [reason]
const LIMITED = [429, 'concurrency_limited', 1]

/** Acquires slots and records the admitted callers in order. */
function queueing(semaphore: ReturnType<typeof createKeyedSemaphore>, atOnce: number) {
  const admitted: string[] = []
  const releases = new Map<string, () => void>()
  return {
    admitted,
    acquire: (who: string, name = 'account') =>
      Promise.resolve(semaphore.acquire(name, atOnce)).then(release => {
        admitted.push(who)
        releases.set(who, release)
      }),
    release: (who: string) => releases.get(who)!(),
  }
}

describe('keyed semaphore', () => {
  it('the semaphore admits as many callers as it has slots and queues the other callers in order of arrival', async () => {
    const { admitted, acquire, release } = queueing(createKeyedSemaphore(), 2)
    const all = ['a', 'b', 'c', 'd', 'e'].map(who => acquire(who))
    await all[1]
    expect(admitted).toEqual(['a', 'b'])
    release('b')
    await all[2]
    expect(admitted).toEqual(['a', 'b', 'c'])
    release('a')
    release('c')
    await Promise.all(all)
    expect(admitted).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  it('if a caller times out while it waits for several slots, the semaphore admits the next caller', async () => {
    const semaphore = createKeyedSemaphore(64, 200)
    await semaphore.acquire('account', 3)
    await semaphore.acquire('account', 3)
    const heavy = Promise.resolve(semaphore.acquire('account', 3, 3)).catch(refused)
    await sleep(100)
    const light = Promise.resolve(semaphore.acquire('account', 3))
    expect(await heavy).toEqual(LIMITED)
    expect(await light.then(() => 'admitted', refused)).toBe('admitted')
  })

  it('the semaphore refuses callers while its queue is full, and accepts them again when the queue has space', async () => {
    const { admitted, acquire, release } = queueing(createKeyedSemaphore(3), 1)
    const all = ['a', 'b', 'c', 'd'].map(who => acquire(who))
    await all[0]
    expect(await acquire('e').catch(refused)).toEqual(LIMITED)
    release('a')
    await all[1]
    const late = acquire('f')
    for (const [who, next] of [
      ['b', all[2]],
      ['c', all[3]],
      ['d', late],
    ] as const) {
      release(who)
      await next
    }
    expect(admitted).toEqual(['a', 'b', 'c', 'd', 'f'])
  })

  it('the semaphore has a separate queue for each name', async () => {
    const { admitted, acquire } = queueing(createKeyedSemaphore(0), 1)
    await acquire('a', 'one')
    expect(await acquire('b', 'one').catch(refused)).toEqual(LIMITED)
    await acquire('c', 'other')
    expect(admitted).toEqual(['a', 'c'])
  })

  it('the semaphore refuses callers that waited too long and removes them from its queue', async () => {
    const { admitted, acquire, release } = queueing(createKeyedSemaphore(64, 20), 1)
    await acquire('a')
    expect(await Promise.all(['b', 'c'].map(who => acquire(who).catch(refused)))).toEqual([LIMITED, LIMITED])
    release('a')
    await acquire('d')
    expect(admitted).toEqual(['a', 'd'])
  })

  it('releasing a slot twice frees only one slot', async () => {
    const { admitted, acquire, release } = queueing(createKeyedSemaphore(), 1)
    const [first, ...rest] = ['a', 'b', 'c'].map(who => acquire(who))
    await first
    for (let time = 0; time < 3; time++) release('a')
    await rest[0]
    await turn()
    expect(admitted).toEqual(['a', 'b'])
    release('b')
    await rest[1]
  })
})

describe('concurrent reads of one account', () => {
  let s: TestService
  beforeAll(async () => {
    s = await service({ examples: false })
    const [entry] = s.dataset('theme-taxonomy').example as readonly Row[]
    await s.publish(
      'theme-taxonomy',
      Array.from({ length: 500 }, (_, index) => ({ ...entry, symbol: String(10_000 + index) })),
    )
  })
  afterAll(() => s.close())

  const THEMES = '/v2/datasets/theme-taxonomy?limit=500'

  it('concurrent reads above the limit of the plan are queued; reads get 429 without a charge when the queue is full', async () => {
    const account = holder(s, 'free', 'crowd@example.test', NOW)
    const { requestsAtOnce } = PLANS.free
    const answers = await Promise.all(Array.from({ length: 200 }, () => s.get(THEMES, account.key)))
    const [answered, refusals] = [200, 429].map(status => answers.filter(({ statusCode }) => statusCode === status)) as [
      typeof answers,
      typeof answers,
    ]
    expect(answered.length + refusals.length).toBe(200)
    expect(answered.length).toBeGreaterThanOrEqual(requestsAtOnce + 64)
    expect(refusals.length).toBeGreaterThan(0)
    for (const refusal of refusals) {
      expect(refusal.headers).toMatchObject({ 'retry-after': '1', 'x-credits-charged': '0' })
      expect(refusal.json().error).toMatchObject({
        error_code: 'concurrency_limited',
        blocking_gate: 'rate_limit',
        retry_after: 1,
        allowed_at_once: requestsAtOnce,
      })
    }
    expect(balanced(s.dir, account.accountId)).toEqual({ requests: answered.length, credits: answered.length })
    await expect.poll(() => usageOf(s.dir, account.accountId).errors).toBe(refusals.length)
    expect((await s.get(THEMES, account.key)).statusCode).toBe(200)
  })
})
