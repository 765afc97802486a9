import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { type Engine, openEngine, openPool, type Pool, type PoolOptions, type Statement } from '../../src/engine/index.ts'

let engine: Engine
let pool: Pool
afterEach(async () => {
  await pool.close()
  engine.close()
})

async function open(options: Partial<PoolOptions>): Promise<void> {
  engine = await openEngine({ threads: 1, memoryLimit: '200MB' })
  pool = await openPool(engine, { connections: 1, waitMs: 10_000, budgetMs: 10_000, ...options })
}

const statement = (text: string): Statement => ({ text, values: [] })
const ENDLESS = 'SELECT sum(a.i * b.i) FROM range(10000000) AS a(i), range(10000000) AS b(i)'
const SOME = 'SELECT count(*) FROM range(100000) AS a(i), range(20) AS b(i)'
const read = (text: string, lane?: string): Promise<unknown> => pool.read(statement(text), ([chunk]) => chunk!.column(0).items[0], lane)
const answers = async () => expect(await read('SELECT 42 AS answer')).toBe(42)

describe('lanes, the queues of the accounts', () => {
  /** Reads in these lanes, in this order, and records the order of answers. */
  function readAll(names: readonly string[], text = SOME) {
    const answered: string[] = []
    const reads = names.map(name => read(text, name[0]).then(() => void answered.push(name)))
    return { answered, reads, all: () => Promise.all(reads).then(() => answered) }
  }

  it('the lane that used the engine least runs next, and the reads of a lane keep their order', async () => {
    await open({})
    const { all } = readAll(['a1', 'a2', 'a3', 'a4', 'b1', 'c1'])
    expect(await all()).toEqual(['a1', 'b1', 'c1', 'a2', 'a3', 'a4'])
  })

  it('a single lane never occupies the last connection', async () => {
    await open({ connections: 3, budgetMs: 600 })
    const { reads } = readAll(['a1', 'a2', 'a3'], ENDLESS)
    const failed = Promise.allSettled(reads)
    expect(pool.load()).toEqual({ busy: 2, waiting: 1 })
    await answers()
    expect(pool.load()).toEqual({ busy: 2, waiting: 1 })
    await failed
  })

  it('the lanes that used the engine most cannot occupy the last connection, even together', async () => {
    await open({ connections: 3, budgetMs: 700 })
    await Promise.allSettled(readAll(['a1', 'b1'], ENDLESS).reads)
    const failed = Promise.allSettled(readAll(['a2', 'b2', 'a3', 'b3'], ENDLESS).reads)
    expect(pool.load()).toEqual({ busy: 2, waiting: 2 })
    await answers()
    expect(pool.load()).toEqual({ busy: 2, waiting: 2 })
    await failed
  })
})

describe('suspended processes', () => {
  /** Blocks the main thread like a suspension; the engine continues. */
  const standStill = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

  it('a suspended process neither refuses queued reads nor stops running reads', async () => {
    await open({ waitMs: 600, budgetMs: 600 })
    const reads = [1, 2, 3].map(() => read(SOME))
    await sleep(1)
    standStill(1_500)
    for (const outcome of await Promise.allSettled(reads)) expect(outcome).toMatchObject({ status: 'fulfilled' })
  })
})
