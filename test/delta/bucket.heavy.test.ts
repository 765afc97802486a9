import { spawnSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blockOf } from '../behaviour/documents/documents.ts'
import { trade } from '../fixtures/publish/rows.ts'
import { makeHistories, type TableHistory, tablesFile } from '../fixtures/tables/history.ts'
import { service, type TestService } from '../support.ts'
import { type BucketServer, startBucketServer } from './bucket-server.ts'
import { comparison, hasModules, hasTrino, READERS_PYTHON, readersCommand, resultOf, run, TRINO_NEEDS } from './engines.ts'
import { startTrino } from './trino/server.ts'

const isInstalled = (command: string): boolean => spawnSync(command, ['--version']).status === 0
const isThere =
  isInstalled('rclone') &&
  spawnSync(readersCommand('weed'), ['version']).status === 0 &&
  hasModules(READERS_PYTHON, 'duckdb_extension_httpfs, deltalake, polars, chdb')
const hasAws = isInstalled('rsync') && isInstalled(readersCommand('aws'))
const READERS = ['with_duckdb', 'with_deltalake', 'with_polars', 'with_chdb']
const SLUG = 'institutional-positioning'
const GUIDE = 'docs/buckets.md'

describe.skipIf(!isThere)(`a bucket (skipped without rclone, and SeaweedFS and readers in ${READERS_PYTHON}: run test/delta/run)`, () => {
  let s: TestService
  let server: BucketServer | undefined
  let tables: readonly TableHistory[]
  let env: NodeJS.ProcessEnv = {}

  beforeAll(async () => {
    s = await service({ examples: false })
    symlinkSync('.', join(s.dir, 'data'))
    const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = variablesOf(blockOf(GUIDE, 'export AWS_ENDPOINT_URL'))
    server = await startBucketServer(s.dir, AWS_ACCESS_KEY_ID!, AWS_SECRET_ACCESS_KEY!)
    env = {
      ...variablesOf(documented('export RCLONE_CONFIG_S3_TYPE')),
      ...variablesOf(documented('export AWS_ENDPOINT_URL')),
      AWS_ALLOW_HTTP: 'true',
      // rclone 1.60 does not start with this variable.
      AWS_CA_BUNDLE: undefined,
      PATH: `${readersCommand('.')}:${process.env['PATH']}`,
    }
    await run('rclone', ['mkdir', 's3:bucket'], { env })
    tables = await makeHistories(s)
    await copy('rclone sync')
  }, 900_000)
  afterAll(async () => {
    await server?.stop()
    await s?.close()
  }, 60_000)

  /** A code block of the guide, with the address of the test server. */
  const documented = (beginning: string): string =>
    blockOf(GUIDE, beginning)
      .replaceAll('https://s3.example', server!.endpoint)
      .replaceAll('s3.example', server!.endpoint.replace('http://', ''))
      .replace('USE_SSL true', 'USE_SSL false')

  /** Runs a copy command of the guide, then lists the tables for readers. */
  const copy = async (beginning: string) => {
    for (const command of documented(beginning).split('\n')) await run('sh', ['-c', command], { cwd: s.dir, env })
    const located = tables.map(table => ({ ...table, folder: `s3://bucket/releases/${basename(table.folder)}` }))
    writeFileSync(tablesFile(s.dir), JSON.stringify(located))
  }

  const everyVersion = () => ({ versions: tables.reduce((sum, { versions }) => sum + versions.length, 0), wrong: [] })
  const history = () => tables.find(({ slug }) => slug === SLUG)!
  const rowsOf2330 = (): number =>
    history()
      .versions.at(-1)!
      .rows.filter(({ ticker }) => ticker === '2330').length
  const statements = (engine: string, beginning: string) =>
    resultOf(READERS_PYTHON, ['test/delta/readers/statements.py', engine, documented(beginning)])

  it('the bucket server refuses a wrong secret', async () => {
    const wrong = { ...env, RCLONE_CONFIG_S3_SECRET_ACCESS_KEY: 'wrong' }
    await expect(run('rclone', ['lsf', 's3:bucket', '--retries', '1'], { env: wrong })).rejects.toThrow('SignatureDoesNotMatch')
  })

  it.each(READERS)(
    '%s reads the rows of the API in every version of every table, from a bucket filled by the documented commands',
    async reader => {
      expect(await comparison(READERS_PYTHON, reader, s.dir, env)).toEqual(everyVersion())
    },
    900_000,
  )

  it("the guide's statements and program read a table in a bucket", async () => {
    expect(rowsOf2330()).toBeGreaterThan(0)
    expect.soft(await statements('duckdb', 'INSTALL httpfs')).toEqual([[[rowsOf2330()]]])
    expect.soft(await statements('chdb', 'SELECT count() FROM deltaLake')).toEqual([[[history().versions.at(-1)!.rows.length]]])
    const printed = await run(READERS_PYTHON, ['-c', documented('import os')], { env })
    expect.soft(printed.split('\n')[0]).toBe(String(history().versions.at(-1)!.rows.length))
    expect.soft(printed).toContain(`shape: (${rowsOf2330()}, `)
  }, 300_000)

  it.skipIf(!hasTrino)(
    `Trino with the documented catalog reads every version of every table in a bucket, and refuses to write (skipped without ${TRINO_NEEDS})`,
    async () => {
      const trino = await startTrino(s.dir, documented('connector.name=delta_lake'))
      try {
        const results = await trino.execute(documented('CREATE SCHEMA delta.twmd'))
        expect(results.map(({ error }) => error)).toEqual([null, null, null, null])
        expect(results.slice(2).map(({ rows }) => rows)).toEqual([[[rowsOf2330()]], [[history().versions[0]!.rows.length]]])
        const table = 'delta.twmd.institutional_positioning'
        const writes = `DELETE FROM ${table} WHERE ticker = '2330'; INSERT INTO ${table} SELECT * FROM ${table}`
        for (const { error } of await trino.execute(writes)) expect.soft(error).toContain('twmdManaged')
        expect(await trino.compare(s.dir)).toEqual(everyVersion())
      } finally {
        await trino.stop()
      }
    },
    900_000,
  )

  it.skipIf(!hasAws)(
    `the aws commands add a version to a bucket (skipped without rsync, and aws next to ${READERS_PYTHON})`,
    async () => {
      const before = rowsOf2330()
      const { status } = await s.publish(SLUG, [trade('2330', '2026-06-03', 7)], { accept: ['row_count_drift', 'dates_backwards'] })
      expect(status).toBe('published')
      await copy('rsync')
      expect(await statements('duckdb', 'INSTALL httpfs')).toEqual([[[before + 1]]])
    },
    300_000,
  )
})

/** Variables that a block exports. */
const variablesOf = (block: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...block.matchAll(/^export (\w+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]))
