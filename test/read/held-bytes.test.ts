import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { loadCatalog } from '../../catalog/index.ts'
import { openEngine, openPool } from '../../src/engine/index.ts'
import { heldBytes } from '../../src/read/index.ts'

it('the memory of an answer that has not left counts its texts as long as they are, and no more for absent ones', async () => {
  const engine = await openEngine({ threads: 1, memoryLimit: '200MB', readableFolder: tmpdir() })
  const pool = await openPool(engine, { connections: 1, waitMs: 10_000, budgetMs: 10_000 })
  const dataset = (await loadCatalog()).get('theme-taxonomy')!
  const [position, rows] = [new Map([['theme_name', 0]]), 5_000]
  const held = (text: string): Promise<number> =>
    pool.read({ text: `SELECT ${text}::VARCHAR AS theme_name FROM range(${rows})`, values: [] }, async chunks =>
      heldBytes(dataset, { chunks, position }),
    )
  try {
    const [absent, short, long] = [await held('NULL'), await held("'industry'"), await held("repeat('題', 1000)")]
    expect(long - absent).toBe(rows * 3_000)
    expect(short - absent).toBe(rows * 8)
    expect(absent).toBeLessThan(rows * 40)
  } finally {
    await pool.close()
    engine.close()
  }
})
