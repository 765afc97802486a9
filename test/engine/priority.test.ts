import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { afterAll, expect, it } from 'vitest'
import { openEngine, openPool } from '../../src/engine/index.ts'

const engine = await openEngine({ threads: 1, memoryLimit: '200MB' })
const pool = await openPool(engine, { connections: 2, waitMs: 10_000, budgetMs: 10_000 })
afterAll(async () => {
  await pool.close()
  engine.close()
})

const THREADS = '/proc/self/task'

it.skipIf(process.platform !== 'linux')('engine threads have a lower priority than the main thread', () => {
  const names = readdirSync(THREADS).map(thread => [Number(thread), readFileSync(`${THREADS}/${thread}/comm`, 'utf8').trim()] as const)
  const [workers, others] = [true, false].map(isWorker => names.filter(([, name]) => (name === 'libuv-worker') === isWorker))
  expect(workers!.length).toBeGreaterThan(0)
  expect(workers!.filter(([thread]) => getPriority(thread) !== Math.min(getPriority() + 10, 19))).toEqual([])
  expect(others!.find(([thread]) => thread === process.pid)).toBeDefined()
  expect(getPriority(process.pid)).toBe(getPriority())
})
