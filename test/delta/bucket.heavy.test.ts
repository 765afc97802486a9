import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blocksOf } from '../behaviour/documents/documents.ts'
import { freePort } from '../fixtures/free-port.ts'
import { makeHistories, type TableHistory, tablesFile } from '../fixtures/tables/history.ts'
import { service, type TestService } from '../support.ts'

/** The Python of `test/delta/run`, or `TABLES_PYTHON`. */
const PYTHON = process.env['TABLES_PYTHON'] ?? join(homedir(), '.cache/twmd/readers/bin/python')
const isThere =
  spawnSync('rclone', ['version']).status === 0 &&
  spawnSync(PYTHON, ['-c', 'import moto.server, duckdb_extension_httpfs, deltalake, polars, chdb']).status === 0
const READERS = ['with_duckdb', 'with_deltalake', 'with_polars', 'with_chdb']

/** The block of the guide whose first line begins with `first`. */
const documented = (beginning: string): string => blocksOf('docs/scale-out.md').find(({ text }) => text.startsWith(beginning))!.text

describe.skipIf(!isThere)(`a bucket (skipped if rclone is not on the path or ${PYTHON} lacks the readers: run test/delta/run)`, () => {
  let s: TestService
  let tables: readonly TableHistory[]
  let stop = (): void => {}
  let env: NodeJS.ProcessEnv = {}

  beforeAll(async () => {
    s = await service({ examples: false })
    symlinkSync('.', join(s.dir, 'data'))
    const port = await freePort()
    const server = spawn(PYTHON, ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' })
    stop = () => void server.kill()
    const endpoint = `http://127.0.0.1:${port}`
    while (
      !(await request(endpoint).then(
        ({ body }) => body.dump().then(() => true),
        () => false,
      ))
    )
      await sleep(200)
    env = {
      ...process.env,
      ...variablesOf(documented('export RCLONE_CONFIG_S3_TYPE'), endpoint),
      ...variablesOf(documented('export AWS_ENDPOINT_URL'), endpoint),
      TZ: 'UTC',
    }
    execFileSync('rclone', ['mkdir', 's3:bucket'], { env, stdio: 'pipe' })
    tables = await makeHistories(s)
    copy()
  }, 900_000)
  afterAll(async () => {
    stop()
    await s.close()
  })

  const copy = () => {
    for (const command of documented('rclone sync').split('\n')) execFileSync('sh', ['-c', command], { cwd: s.dir, env, stdio: 'pipe' })
    const located = tables.map(table => ({ ...table, folder: `s3://bucket/releases/${basename(table.folder)}` }))
    writeFileSync(tablesFile(s.dir), JSON.stringify(located))
  }

  it.each(READERS)(
    '%s reads every version of every table in a bucket that the documented commands filled as the API sent it',
    reader => {
      const output = execFileSync(PYTHON, ['test/delta/readers/compare.py', reader, s.dir], { encoding: 'utf8', env })
      expect(JSON.parse(output.trimEnd().split('\n').at(-1)!)).toMatchObject({ wrong: [] })
    },
    900_000,
  )
})

/** Variables that a documented block exports, with another endpoint and example credentials. */
function variablesOf(block: string, endpoint: string): Readonly<Record<string, string>> {
  const exported = [...block.matchAll(/^export (\w+)=(.*)$/gm)].map(([, name, value]) => [name!, value!] as const)
  return Object.fromEntries(exported.map(([name, value]) => [name, value.startsWith('http') ? endpoint : value]))
}
