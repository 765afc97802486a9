import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
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

/** Runs a statement. @returns the first cell of each chunk */
const read = (statement: Statement) => pool.read(statement, chunks => chunks.map(chunk => chunk.column(0).items[0]))

async function answers(): Promise<void> {
  expect(await read(SHORT)).toEqual([42])
}

describe('Q7: limits of a read', () => {
  it('Q7: the pool stops a read after its time budget, and the connection stays usable', async () => {
    await open({ budgetMs: 300 })
    for (const _ of [1, 2]) {
      await expect(read(ENDLESS)).rejects.toEqual(refused('query_timeout'))
      await answers()
    }
    expect(pool.load()).toEqual({ busy: 0, waiting: 0 })
  })

  it('Q7: if the time budget of a read ends while its statement is prepared, the pool stops the read', async () => {
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

  it('a read of a missing, empty or damaged file fails with a storage fault', async () => {
    await open({})
    for (const [name, content] of [
      ['missing', undefined],
      ['empty', ''],
      ['not Parquet', 'x'.repeat(100)],
      ['only the end of a Parquet file', `PAR1${'\u0007'.repeat(100)}\u0010\0\0\0PAR1`],
    ] as const) {
      const file = join(dir, `${name}.parquet`)
      if (content !== undefined) await writeFile(file, content)
      expect.soft(isStorageFault(await failure(`SELECT * FROM read_parquet(${literal(file)})`)), name).toBe(true)
    }
  })

  it('an invalid statement is not a storage fault', async () => {
    await open({})
    for (const text of [
      'SELECT no_such_column',
      'SELECT FROM WHERE',
      "SELECT 'x'::INTEGER",
      'SELECT * FROM range(3) AS t(i) WHERE i = $1',
      "SELECT strptime('not a day', '%Y-%m-%d')",
      "SELECT regexp_matches('a', '(')",
      "SELECT json_extract('{bad', '$.a')",
      "SELECT error('boom')",
    ]) {
      const error = await failure(text)
      expect.soft(error, text).toBeInstanceOf(Error)
      expect.soft(isStorageFault(error), text).toBe(false)
    }
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
  it('the pool refuses new reads when the queue is too long, and runs the queued reads', async () => {
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
  it('a closing pool refuses queued and new reads and interrupts running reads', async () => {
    await open({})
    const reads = Promise.allSettled([read(ENDLESS), read(SHORT), read(SHORT)])
    // DuckDB does not report the start of a statement; after 50 ms the statement runs.
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
  it('a serving engine refuses files, networks, writes and settings outside its folder', async () => {
    await open({})
    for (const sql of [
      "SELECT * FROM read_text('/etc/hostname')",
      "SELECT * FROM read_parquet('https://example.test/x.parquet')",
      "COPY (SELECT 1) TO '/tmp/x.csv'",
      "ATTACH '/tmp/x.duckdb'",
      'INSTALL httpfs',
      "SET memory_limit = '64GB'",
      'SET GLOBAL enable_external_access = true',
    ]) {
      const outcome = await read(statement(sql)).then(() => 'read', String)
      expect.soft(outcome, sql).toMatch(/Permission|locked|disabled|Cannot/)
      await answers()
    }
  })
})
