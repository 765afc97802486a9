import { setTimeout as sleep } from 'node:timers/promises'
import { DuckDBPreparedStatement } from '@duckdb/node-api'
import { afterEach, expect, it, vi } from 'vitest'
import { openEngine } from '../../src/engine/index.ts'

const MINUTE_MS = 60_000

afterEach(() => void vi.restoreAllMocks())

it('a prepared statement is evicted after some idle minutes and prepared again on use', async () => {
  let time = performance.now()
  vi.spyOn(performance, 'now').mockImplementation(() => time)
  const destroyed = vi.spyOn(DuckDBPreparedStatement.prototype, 'destroySync')
  const engine = await openEngine({ threads: 1, memoryLimit: '200MB' })
  const session = await engine.connect()
  const ask = async (times: number): Promise<number> => {
    const result = await session.read({ text: `SELECT ?::INTEGER * ${times} AS answer`, values: [7] })
    try {
      return result.chunks[0]!.column(0).items[0] as number
    } finally {
      result.free()
    }
  }
  expect([await ask(2), await ask(3)]).toEqual([14, 21])
  for (const used of [1, 2]) {
    time += 4 * MINUTE_MS
    // The cached clock is read again after a millisecond, so wait longer.
    await sleep(20)
    expect([used, await ask(2)]).toEqual([used, 14])
  }
  expect(destroyed).not.toHaveBeenCalled()
  expect(await ask(4)).toBe(28)
  expect(destroyed).toHaveBeenCalledTimes(1)
  expect([await ask(2), await ask(3)]).toEqual([14, 21])
  expect(destroyed).toHaveBeenCalledTimes(1)
  session.close()
  engine.close()
})
