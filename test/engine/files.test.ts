import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openEngine, openPool } from '../../src/engine/index.ts'
import { dataFolder } from '../support.ts'

it('a serving engine does not cache the files it reads', async () => {
  const folder = await dataFolder()
  const file = join(folder.dir, 'rows.parquet')
  try {
    const writing = await openEngine({ threads: 1, memoryLimit: '200MB' })
    const session = await writing.connect()
    await session.run(`COPY (SELECT i AS number, md5(i::VARCHAR) AS text FROM range(100000) AS a(i)) TO '${file}'`)
    session.close()
    writing.close()
    const engine = await openEngine({ threads: 1, memoryLimit: '200MB', readableFolder: folder.dir })
    const pool = await openPool(engine, { connections: 1, waitMs: 10_000, budgetMs: 10_000 })
    const readNumber = (text: string) => pool.read({ text, values: [] }, chunks => Number(chunks[0]!.column(0).items[0]))
    expect(await readNumber(`SELECT sum(length(text))::DOUBLE FROM read_parquet('${file}')`)).toBe(3_200_000)
    expect(await readNumber("SELECT memory_usage_bytes::DOUBLE FROM duckdb_memory() WHERE tag = 'EXTERNAL_FILE_CACHE'")).toBe(0)
    await pool.close()
    engine.close()
  } finally {
    await folder.remove()
  }
})
