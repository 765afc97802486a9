import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createAnswerMemory } from '../../../src/access/answer-memory.ts'
import { Refusal } from '../../../src/core/index.ts'

/** Reserves memory and records which reservations were granted, in order. */
function reserving(options: Partial<Parameters<typeof createAnswerMemory>[0]>) {
  const memory = createAnswerMemory({ perKey: 100, total: 200, smallBytes: 10, waitMs: 10_000, ...options })
  const admitted: string[] = []
  const shares = new Map<string, Awaited<ReturnType<typeof memory.reserve>>>()
  return {
    admitted,
    share: (who: string) => shares.get(who)!,
    /** @param who a letter for the key and the number of the answer */
    reserve: (who: string, bytes: number) =>
      Promise.resolve(memory.reserve(who[0]!, bytes)).then(share => {
        admitted.push(who)
        shares.set(who, share)
      }),
  }
}
const codeOf = (error: unknown): unknown => (error instanceof Refusal ? error.code : error)

describe('memory for unsent answers', () => {
  it('answers wait in order if they exceed the memory of their key', async () => {
    const { admitted, share, reserve } = reserving({})
    const all = [reserve('a1', 60), reserve('a2', 60), reserve('a3', 30), reserve('b1', 60)]
    await all[3]
    expect(admitted).toEqual(['a1', 'b1'])
    share('a1').release()
    await Promise.all(all)
    expect(admitted).toEqual(['a1', 'b1', 'a2', 'a3'])
  })

  it('answers wait if they exceed the total memory, and the waiting keys are served in rotation', async () => {
    const { admitted, share, reserve } = reserving({})
    const all = ['a1', 'b1', 'c1', 'c2', 'd1'].map(who => reserve(who, 90))
    await all[1]
    for (const [first, last] of [
      ['a1', 'c1'],
      ['b1', 'd1'],
      ['c1', 'c2'],
    ] as const) {
      share(first).release()
      await expect.poll(() => admitted.at(-1)).toBe(last)
    }
    expect(admitted).toEqual(['a1', 'b1', 'c1', 'd1', 'c2'])
  })

  it('a resized answer reserves its new size', async () => {
    const { admitted, share, reserve } = reserving({})
    await reserve('a1', 100)
    share('a1').resize(20)
    await reserve('a2', 80)
    share('a1').resize(90)
    const waiting = reserve('a3', 11)
    await turn()
    expect(admitted).toEqual(['a1', 'a2'])
    share('a2').release()
    share('a1').release()
    await waiting
  })

  it('the memory limit admits small answers without waiting, and an oversized one only if no other has a reservation', async () => {
    const { admitted, share, reserve } = reserving({})
    await reserve('a1', 1_000)
    const waiting = reserve('a2', 11)
    await reserve('a3', 10)
    expect(admitted).toEqual(['a1', 'a3'])
    share('a1').release()
    await waiting
  })

  it('the memory limit refuses a reservation that waited too long: 429 if the key is full, 503 if the total is full', async () => {
    const { reserve } = reserving({ waitMs: 20 })
    await Promise.all([reserve('a1', 90), reserve('b1', 90)])
    expect(await Promise.all([reserve('a2', 90).catch(codeOf), reserve('c1', 90).catch(codeOf)])).toEqual([
      'concurrency_limited',
      'overloaded',
    ])
  })
})
