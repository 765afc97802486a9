import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type Engine,
  isStorageFault,
  literal,
  openEngine,
  openPool,
  type Pool,
  type PoolOptions,
  type Statement,
} from '../../src/engine/index.ts'

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

async function open(options: Partial<PoolOptions> & { readonly memoryLimit?: string }): Promise<void> {
  const { memoryLimit = '200MB', ...rest } = options
  engine = await openEngine({ threads: 1, memoryLimit, readableFolder: dir })
  pool = await openPool(engine, { connections: 1, waitMs: 10_000, budgetMs: 10_000, ...rest })
}

const statement = (text: string): Statement => ({ text, values: [] })
const ENDLESS = statement('SELECT sum(a.i * b.i) FROM range(10000000) AS a(i), range(10000000) AS b(i)')
const GREEDY = statement('SELECT i, hash(i)::VARCHAR AS h FROM range(3000000) AS t(i) ORDER BY h')
const SHORT = statement('SELECT 42 AS answer')
const refused = (code: string) => expect.objectContaining({ name: 'Refusal', code })

/** The first cell of each chunk. */
const read = (one: Statement) => pool.read(one, chunks => chunks.map(chunk => chunk.column(0).items[0]))

async function answers(): Promise<void> {
  expect(await read(SHORT)).toEqual([42])
}

describe('Q7: limits of a read', () => {
  it('Q7: the pool stops a read after its budget, and the connection stays usable', async () => {
    await open({ budgetMs: 300 })
    for (const _ of [1, 2]) {
      await expect(read(ENDLESS)).rejects.toEqual(refused('query_timeout'))
      await answers()
    }
    expect(pool.load()).toEqual({ busy: 0, waiting: 0 })
  })

  it('Q7: the pool stops a read whose budget ends while it is prepared', async () => {
    await open({ budgetMs: 0 })
    for (const factor of [2, 3, 4, 5]) {
      const fresh = statement(ENDLESS.text.replace('a.i *', `${factor} * a.i *`))
      await expect(read(fresh)).rejects.toEqual(refused('query_timeout'))
    }
  })

  it('Q7: the pool refuses a read above the memory limit, and the connection stays usable', async () => {
    await open({ memoryLimit: '20MB' })
    await expect(read(GREEDY)).rejects.toEqual(refused('overloaded'))
    await answers()
  })

  it('Q7: a read above the memory limit writes nothing to disk', async () => {
    const home = process.cwd()
    process.chdir(dir)
    try {
      await open({ memoryLimit: '20MB' })
      await expect(read(GREEDY)).rejects.toEqual(refused('overloaded'))
    } finally {
      process.chdir(home)
    }
    expect(await readdir(dir)).toEqual([])
  })
})

describe('failed reads', () => {
  const failure = (text: string): Promise<unknown> =>
    read(statement(text)).then(
      () => 'read',
      error => error,
    )

  it.each([
    ['does not exist', undefined],
    ['is empty', ''],
    ['is not Parquet', 'x'.repeat(100)],
    ['has only the end of a Parquet file', `PAR1${'\u0007'.repeat(100)}\u0010\0\0\0PAR1`],
  ])('a read of a file that %s fails with a storage fault', async (_, content) => {
    await open({})
    const file = join(dir, 'part.parquet')
    if (content !== undefined) await writeFile(file, content)
    expect(isStorageFault(await failure(`SELECT * FROM read_parquet(${literal(file)})`))).toBe(true)
  })

  it.each(['snappy', 'zstd', 'uncompressed, PARQUET_VERSION v2'])(
    'of a damaged byte anywhere in a file fails of a storage fault: %s',
    async how => {
      await open({})
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
        // Half of them in the metadata, which is the last of the file.
        const size = step % 2 === 0 ? whole.length : whole.readUInt32LE(whole.length - 8)
        damaged[whole.length - 9 - Math.floor((step * (size - 9)) / 200)]! ^= 0x55
        // The engine keeps the metadata of a path.
        const path = join(dir, `${step}.parquet`)
        await writeFile(path, damaged)
        const found = await failure(`SELECT * FROM read_parquet(${literal(path)})`)
        if (found !== 'read') failures.push(found)
      }
      expect(failures.length).toBeGreaterThan(50)
      expect(failures.filter(error => !isStorageFault(error)).map(String)).toEqual([])
    },
  )

  it('a read without free file descriptors is refused as overloaded, not as a storage fault', async () => {
    await open({})
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
    await open({})
    const file = join(dir, 'part.parquet')
    const writing = await openEngine({ threads: 1, memoryLimit: '200MB' })
    const session = await writing.connect()
    const rows = "SELECT i, i * 1.5 AS x, DATE '2020-01-01' + (i % 900)::INTEGER AS d, '台' || hash(i) AS t FROM range(300) AS r(i)"
    await session.run(`COPY (${rows}) TO ${literal(file)} (FORMAT parquet)`)
    session.close()
    writing.close()
    const whole = await readFile(file)
    const failures: unknown[] = []
    for (let at = whole.length - 8 - whole.readUInt32LE(whole.length - 8); at < whole.length - 8; at++) {
      const damaged = Buffer.from(whole)
      damaged[at] = 0x55
      const path = join(dir, `${at}.parquet`)
      await writeFile(path, damaged)
      const found = await failure(`SELECT * FROM read_parquet(${literal(path)})`)
      if (found !== 'read') failures.push(found)
    }
    expect(failures.filter(error => String(error).includes('INTERNAL Error')).length).toBeGreaterThan(0)
    expect(failures.filter(error => !isStorageFault(error)).map(String)).toEqual([])
  })

  it.each([
    'SELECT no_such_column',
    'SELECT FROM WHERE',
    "SELECT 'x'::INTEGER",
    'SELECT * FROM range(3) AS t(i) WHERE i = $1',
    "SELECT strptime('not a day', '%Y-%m-%d')",
    "SELECT regexp_matches('a', '(')",
    "SELECT json_extract('{bad', '$.a')",
    "SELECT error('boom')",
  ])('an invalid statement is not a storage fault: %s', async text => {
    await open({})
    const error = await failure(text)
    expect(error).toBeInstanceOf(Error)
    expect(isStorageFault(error)).toBe(false)
  })
})

describe('prepared statements', () => {
  it('an evicted statement is prepared again', async () => {
    await open({})
    const texts = Array.from({ length: 600 }, (_, at) => `SELECT ${at} AS answer`)
    for (const text of [...texts, ...texts]) {
      const [value] = await read(statement(text))
      expect(`SELECT ${value} AS answer`).toBe(text)
    }
  })
})

describe('the queue for a connection', () => {
  it('the pool refuses new reads when the queue is too long, and runs the queued ones', async () => {
    await open({ guessMs: 60_000, waitMs: 120_000 })
    const first = read(statement('SELECT count(*) FROM range(100000) AS a(i), range(500) AS b(i)'))
    const waiting = [read(SHORT), read(SHORT)]
    expect(pool.load()).toEqual({ busy: 1, waiting: 2 })
    await expect(read(SHORT)).rejects.toEqual(refused('overloaded'))
    await Promise.all([first, ...waiting])
    expect(pool.load()).toEqual({ busy: 0, waiting: 0 })
  })

  it('the pool refuses a read that waited too long', async () => {
    await open({ waitMs: 50, budgetMs: 400 })
    const [first, second] = await Promise.allSettled([read(ENDLESS), read(SHORT)])
    expect(first).toMatchObject({ reason: refused('query_timeout') })
    expect(second).toMatchObject({ reason: refused('overloaded') })
    await answers()
  })
})

describe('closed pools', () => {
  it('a closing pool refuses queued and new reads and interrupts running ones', async () => {
    await open({})
    const reads = Promise.allSettled([read(ENDLESS), read(SHORT), read(SHORT)])
    // DuckDB reports no start of a statement; after this time it runs.
    await sleep(50)
    await pool.close()
    const outcomes = await reads
    expect(outcomes).toEqual(Array(3).fill({ status: 'rejected', reason: refused('draining') }))
    await expect(read(SHORT)).rejects.toEqual(refused('draining'))
  })

  it('a closing pool stops a read that is still being prepared', async () => {
    await open({})
    const refusal = expect(read(ENDLESS)).rejects.toEqual(refused('draining'))
    await pool.close()
    await refusal
  })
})

describe('engine settings', () => {
  it.each([
    ["SELECT * FROM read_text('/etc/hostname')"],
    ["SELECT * FROM read_parquet('https://example.test/x.parquet')"],
    ["COPY (SELECT 1) TO '/tmp/x.csv'"],
    ["ATTACH '/tmp/x.duckdb'"],
    ['INSTALL httpfs'],
    ["SET memory_limit = '64GB'"],
    ['SET GLOBAL enable_external_access = true'],
  ])('a serving engine refuses %s', async sql => {
    await open({})
    await expect(read(statement(sql))).rejects.toThrow(/Permission|locked|disabled|Cannot/)
    await answers()
  })
})
