import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Chunk, type Engine, openEngine, openPool, type Pool } from '../../src/engine/index.ts'

let engine: Engine
let pool: Pool
let kept: readonly Chunk[]

beforeEach(async () => {
  engine = await openEngine({ threads: 1, memoryLimit: '200MB' })
  pool = await openPool(engine, { connections: 1, waitMs: 10_000, budgetMs: 10_000 })
})
afterEach(async () => {
  await pool.close()
  engine.close()
})

const ANSWER = { text: 'SELECT 42 AS answer', values: [] }
const cell = (chunks: readonly Chunk[]) => chunks[0]!.column(0).items[0]

it('the rows of a read are freed once they are used, and its connection is free while they are', async () => {
  const answer = await pool.read(ANSWER, async chunks => {
    kept = chunks
    expect([pool.load(), await pool.read(ANSWER, cell)]).toEqual([{ busy: 0, waiting: 0 }, 42])
    return cell(chunks)
  })
  expect(answer).toBe(42)
  expect(() => cell(kept)).toThrow('freed')
})

it('the rows of a read are freed where what uses them fails', async () => {
  const failing = (chunks: readonly Chunk[]) => {
    kept = chunks
    throw new Error('not these')
  }
  await expect(pool.read(ANSWER, failing)).rejects.toThrow('not these')
  expect(() => cell(kept)).toThrow('freed')
})
