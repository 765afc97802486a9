import { afterAll, expect, it } from 'vitest'
import type { Refusal } from '../../src/core/index.ts'
import { service } from '../support.ts'

const ENDLESS = { text: 'SELECT sum(a.i * b.i) FROM range(10000000) AS a(i), range(10000000) AS b(i)', values: [] }

const s = await service({ queryTimeoutMs: 20_000 })
afterAll(() => s.close())

it('a read in memory succeeds while all engine connections are busy and the queue is full', async () => {
  const outcomes: Promise<string>[] = []
  const ask = (lane: string): void => {
    const read = s.pool.read(ENDLESS, () => 'read', lane).catch((error: Refusal) => error.code)
    outcomes.push(read)
  }
  for (const lane of ['a', 'a', 'a', 'b', 'b', 'b']) ask(lane)
  expect(s.pool.load()).toEqual({ busy: 4, waiting: 2 })
  let last: unknown
  while (last !== 'overloaded') {
    ask('c')
    last = await Promise.race([outcomes.at(-1), new Promise(setImmediate)])
  }
  const { statusCode } = await s.get('/v2/datasets/institutional-positioning?symbol=2330', s.keyOn('max'))
  expect([statusCode, s.pool.load().busy]).toEqual([200, 4])
  await s.pool.close()
  expect(new Set(await Promise.all(outcomes))).toEqual(new Set(['draining', 'overloaded']))
})
