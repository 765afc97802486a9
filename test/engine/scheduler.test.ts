import { describe, expect, it } from 'vitest'
import type { Session } from '../../src/engine/engine.ts'
import { createScheduler } from '../../src/engine/scheduler.ts'

/** A session that runs nothing. */
const session = (): Session => ({ close() {} }) as Session

/**
 * A queue with a manual clock. Every read takes `takes` milliseconds and ends when `end` is called.
 * The lane of a read is the first letter of its name.
 */
function queueOf(connections: number, { waitMs = 1_000, takes = 100 }: { readonly waitMs?: number; readonly takes?: number } = {}) {
  let time = 0
  const scheduler = createScheduler(Array.from({ length: connections }, session), { waitMs, guessMs: takes, now: () => time })
  const outcomes: Record<string, unknown> = {}
  const running: { readonly lane: string; readonly session: Session }[] = []
  return {
    outcomes,
    load: scheduler.load,
    pass(ms: number): void {
      // Steps are short, because the queue takes a long pause for a suspended process.
      for (let left = ms; left > 0; left -= 200) {
        time += Math.min(left, 200)
        scheduler.load()
      }
    },
    /**
     * Adds a read.
     * @returns `runs`, `waits`, or the refusal with its seconds
     */
    come(name: string): unknown {
      const lane = name[0]!
      const free = scheduler.tryAcquire(lane)
      if (free) {
        running.push({ lane, session: free })
        outcomes[name] = 'runs'
        return 'runs'
      }
      try {
        scheduler.acquire(lane).then(
          session => {
            running.push({ lane, session })
            outcomes[name] = 'runs'
          },
          error => {
            outcomes[name] = error.facts
          },
        )
        outcomes[name] = 'waits'
      } catch (error) {
        outcomes[name] = (error as { facts: unknown }).facts
      }
      return outcomes[name]
    },
    /** Ends the longest running read after `ms` milliseconds. */
    async end(ms: number): Promise<void> {
      const { lane, session: ended } = running.shift()!
      scheduler.release(lane, ended, ms)
      await Promise.resolve()
      await new Promise(setImmediate)
    },
    close: () => scheduler.close(new Error('over')),
  }
}

const many = (lane: string, count: number): readonly string[] => Array.from({ length: count }, (_, index) => `${lane}${index}`)

describe('the engine queue with its lanes, one for each account', () => {
  it('the queue refuses a read immediately if its expected wait exceeds the limit', () => {
    const { come, close } = queueOf(2, { waitMs: 1_000, takes: 100 })
    // One read runs, because a lane leaves one connection to others. Ten reads wait, 100 ms each.
    const answers = many('a', 13).map(come)
    expect(answers).toEqual(['runs', ...Array(10).fill('waits'), { retry_after: 1 }, { retry_after: 1 }])
    close()
  })

  it('the queue admits more reads when reads are short and fewer when they are long', async () => {
    const counts: number[] = []
    for (const ms of [100, 20, 300]) {
      const { come, end, load, close } = queueOf(2, { waitMs: 1_000, takes: 100 })
      for (let read = 0; read < 60; read++) {
        come(`a${read}`)
        await end(ms)
      }
      for (const name of many('b', 100)) come(name)
      counts.push(load().waiting)
      close()
    }
    expect(counts[0]).toBe(10)
    expect(counts[1]).toBe(50)
    expect(counts[2]).toBe(4)
  })

  it('the queue counts the elapsed time of a running read', () => {
    const { come, pass, close } = queueOf(2, { waitMs: 1_000, takes: 10 })
    expect(come('a0')).toBe('runs')
    pass(2_500)
    expect([come('a1'), come('a2')]).toEqual(['waits', { retry_after: 2 }])
    close()
  })

  it('the queue ignores a clock jump caused by a suspended process', () => {
    let time = 0
    const scheduler = createScheduler([session(), session()], { waitMs: 1_000, guessMs: 10, now: () => time })
    scheduler.tryAcquire('a')
    time += 60_000
    const waiting = many('a', 3).map(() => scheduler.acquire('a'))
    expect(scheduler.load().waiting).toBe(3)
    scheduler.close(new Error('over'))
    return Promise.allSettled(waiting)
  })

  it('a refused read gets the seconds until the queue has space', () => {
    const { come, pass, close } = queueOf(2, { waitMs: 1_000, takes: 100 })
    for (const name of many('a', 5)) come(name)
    pass(1_200)
    // Four reads wait, with an estimated 1.2 s each.
    expect(come('a5')).toEqual({ retry_after: 4 })
    close()
  })

  it('a full queue evicts the last read of the lane with the most work', async () => {
    const { come, outcomes, close } = queueOf(1, { waitMs: 400, takes: 100 })
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'c2']) come(name)
    await new Promise(setImmediate)
    expect(outcomes).toEqual({
      a1: 'runs',
      a2: 'waits',
      a3: 'waits',
      a4: { retry_after: 1 },
      b1: 'waits',
      c1: 'waits',
      c2: { retry_after: 1 },
    })
    close()
  })

  it('a full queue refuses a read of a new lane when all other lanes have equal work', async () => {
    const { come, outcomes, close } = queueOf(1, { waitMs: 400, takes: 100 })
    for (const name of ['a1', 'b1', 'c1', 'd1', 'e1', 'f1', 'g1']) come(name)
    await new Promise(setImmediate)
    const waiting = Object.fromEntries(['b1', 'c1', 'd1', 'e1'].map(name => [name, 'waits']))
    expect(outcomes).toEqual({ a1: 'runs', ...waiting, f1: { retry_after: 1 }, g1: { retry_after: 1 } })
    close()
  })

  it('a full queue refuses a read of a new lane if every other lane has at most two queued reads', async () => {
    const { come, outcomes, close } = queueOf(1, { waitMs: 400, takes: 100 })
    for (const name of ['a1', 'b1', 'b2', 'c1', 'd1', 'e1']) come(name)
    await new Promise(setImmediate)
    expect(outcomes).toEqual({ a1: 'runs', b1: 'waits', b2: 'waits', c1: 'waits', d1: 'waits', e1: { retry_after: 1 } })
    close()
  })

  it('a queue full of long reads admits short reads of another lane and evicts a long read', async () => {
    const { come, end, outcomes, close } = queueOf(2, { waitMs: 1_000, takes: 20 })
    for (let read = 0; read < 20; read++) {
      come(`l${read}`)
      await end(600)
      come(`s${read}`)
      await end(10)
    }
    for (const name of ['l20', 's20', 'l21', 'l22', 'l23', 'l24', 'l25']) come(name)
    expect([outcomes['l23'], outcomes['l24'], outcomes['l25']]).toEqual(['waits', 'waits', { retry_after: 1 }])
    const short = many('s', 60).slice(21)
    for (const name of short) come(name)
    await new Promise(setImmediate)
    expect(short.filter(name => outcomes[name] !== 'waits')).toEqual([])
    expect(outcomes['l24']).toEqual({ retry_after: 1 })
    close()
  })
})

it('if the reads of a lane never waited, the queue removes the lane when they end', () => {
  const { add } = Set.prototype
  const seen = new Set<{ readonly size: number }>()
  Set.prototype.add = function (value) {
    if (typeof value?.running === 'number') add.call(seen, this)
    return add.call(this, value)
  }
  try {
    const scheduler = createScheduler([session(), session()], { waitMs: 1_000 })
    for (let count = 0; count < 100; count++) scheduler.release(`account ${count}`, scheduler.tryAcquire(`account ${count}`)!, 0.1)
  } finally {
    Set.prototype.add = add
  }
  expect([...seen].map(({ size }) => size)).toEqual([0])
})
