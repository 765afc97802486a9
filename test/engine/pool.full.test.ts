import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Engine, isStorageFault, literal, openEngine, openPool, type Pool, type Statement } from '../../src/engine/index.ts'

let dir = ''
let engine: Engine
let pool: Pool
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twmd-pool-'))
})
afterEach(async () => {
  await pool.close()
  engine.close()
  await rm(dir, { recursive: true })
})

async function open(): Promise<void> {
  engine = await openEngine({ threads: 1, memoryLimit: '200MB', readableFolder: dir })
  pool = await openPool(engine, { connections: 1, waitMs: 10_000, budgetMs: 10_000 })
}

const statement = (text: string): Statement => ({ text, values: [] })
/** Runs a statement. @returns the first cell of each chunk */
const read = (statement: Statement) => pool.read(statement, chunks => chunks.map(chunk => chunk.column(0).items[0]))

const failure = (text: string): Promise<unknown> =>
  read(statement(text)).then(
    () => 'read',
    error => error,
  )

it.each(['snappy', 'zstd', 'uncompressed, PARQUET_VERSION v2'])(
  'a read of a file with one damaged byte fails with a storage fault, with compression %s',
  async how => {
    await open()
    const file = join(dir, 'part.parquet')
    const writing = await openEngine({ threads: 1, memoryLimit: '200MB' })
    const session = await writing.connect()
    const rows = "SELECT i, i * 1.5 AS x, DATE '2020-01-01' + (i % 900)::INTEGER AS d, '台' || hash(i) AS t FROM range(2000) AS r(i)"
    await session.run(`COPY (${rows}) TO ${literal(file)} (FORMAT parquet, COMPRESSION ${how})`)
    session.close()
    writing.close()
    const whole = await readFile(file)
    const failures: unknown[] = []
    for (let step = 0; step < 200; step++) {
      const damaged = Buffer.from(whole)
      // Every second damaged byte is in the metadata at the end of the file.
      const size = step % 2 === 0 ? whole.length : whole.readUInt32LE(whole.length - 8)
      damaged[whole.length - 9 - Math.floor((step * (size - 9)) / 200)]! ^= 0x55
      // Use a new path for each file, because the engine caches metadata by path.
      const path = join(dir, `${step}.parquet`)
      await writeFile(path, damaged)
      const found = await failure(`SELECT * FROM read_parquet(${literal(path)})`)
      if (found !== 'read') failures.push(found)
    }
    expect(failures.length).toBeGreaterThan(50)
    expect(failures.filter(error => !isStorageFault(error)).map(String)).toEqual([])
  },
)

it('if no file descriptor is free, a read is refused as overloaded, not as a storage fault', async () => {
  await open()
  const file = join(dir, 'part.parquet')
  const writing = await openEngine({ threads: 1, memoryLimit: '200MB' })
  const session = await writing.connect()
  await session.run(`COPY (SELECT 1 AS i) TO ${literal(file)} (FORMAT parquet)`)
  session.close()
  writing.close()
  const script = fileURLToPath(new URL('../fixtures/engine/starved.ts', import.meta.url))
  const child = ['-c', 'ulimit -n 128; exec "$0" "$@"', process.execPath, script, file]
  const { stdout } = await promisify(execFile)('sh', child)
  expect(JSON.parse(stdout)).toEqual({ refused: 'overloaded', isMachine: true, rows: 1 })
})

it('a read whose metadata breaks an engine assertion fails with a storage fault', async () => {
  await open()
  const file = join(dir, 'part.parquet')
  const writing = await openEngine({ threads: 1, memoryLimit: '200MB' })
  const session = await writing.connect()
  const rows = "SELECT i, i * 1.5 AS x, DATE '2020-01-01' + (i % 900)::INTEGER AS d, '台' || hash(i) AS t FROM range(300) AS r(i)"
  await session.run(`COPY (${rows}) TO ${literal(file)} (FORMAT parquet)`)
  session.close()
  writing.close()
  const whole = await readFile(file)
  const failures: unknown[] = []
  for (let offset = whole.length - 8 - whole.readUInt32LE(whole.length - 8); offset < whole.length - 8; offset++) {
    const damaged = Buffer.from(whole)
    damaged[offset] = 0x55
    const path = join(dir, `${offset}.parquet`)
    await writeFile(path, damaged)
    const found = await failure(`SELECT * FROM read_parquet(${literal(path)})`)
    if (found !== 'read') failures.push(found)
  }
  expect(failures.filter(error => String(error).includes('INTERNAL Error')).length).toBeGreaterThan(0)
  expect(failures.filter(error => !isStorageFault(error)).map(String)).toEqual([])
})
