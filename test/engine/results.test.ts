import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Chunk, type Engine, openEngine, openPool, type Pool } from '../../src/engine/index.ts'

let engine: Engine
let pool: Pool
let retained: readonly Chunk[]

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

it('a read frees its connection before its rows are used, and frees the rows after they were used', async () => {
  const answer = await pool.read(ANSWER, async chunks => {
    retained = chunks
    expect([pool.load(), await pool.read(ANSWER, cell)]).toEqual([{ busy: 0, waiting: 0 }, 42])
    return cell(chunks)
  })
  expect(answer).toBe(42)
  expect(() => cell(retained)).toThrow('freed')
})

it('a read frees its rows when their use fails', async () => {
  const failing = (chunks: readonly Chunk[]) => {
    retained = chunks
    throw new Error('not these')
  }
  await expect(pool.read(ANSWER, failing)).rejects.toThrow('not these')
  expect(() => cell(retained)).toThrow('freed')
})

const LONG = { text: 'SELECT i::INTEGER AS number, repeat(md5(i::VARCHAR), 30) AS text FROM range(5000) AS a(i)', values: [] }

it('a batch that was returned can be read again until the rows are freed', async () => {
  const read = (chunks: readonly Chunk[]) =>
    chunks.map(chunk => [chunk.rows, chunk.column(0).items[0], chunk.column(1).text(chunk.rows - 1)])
  await pool.read(LONG, chunks => {
    retained = chunks
    const before = read(chunks)
    for (const chunk of chunks) chunk.free!()
    expect(before.map(([rows]) => rows)).toEqual([2_048, 2_048, 904])
    expect(read(chunks)).toEqual(before)
  })
  for (const chunk of retained) chunk.free!()
  expect(() => read(retained)).toThrow('freed')
})

it('a read reports its row count, and its size in bytes for many rows', async () => {
  const sizeOf = (text: string) => pool.read({ text, values: [] }, (_, { rows, bytes }) => ({ rows, bytes }))
  const { rows, bytes } = await sizeOf(LONG.text)
  expect(rows).toBe(5_000)
  expect(bytes / rows).toBeCloseTo(8 + 16 + 960, 5)
  expect(await sizeOf("SELECT repeat('x', 1000) AS text FROM range(2)")).toEqual({ rows: 2, bytes: 0 })
  expect(await sizeOf('SELECT 1 AS number WHERE false')).toEqual({ rows: 0, bytes: 0 })
  // The memory of a null value is undefined.
  expect(await sizeOf('SELECT NULL::VARCHAR AS text, 1.0 AS number FROM range(3000)')).toEqual({ rows: 3_000, bytes: 3_000 * (8 + 16) })
})
