import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { releasePaths } from '../../src/releases/index.ts'
import { makeHistories, tablesFile } from '../fixtures/tables/history.ts'
import { service, type TestService } from '../support.ts'

/** The Python with Spark of `test/delta/run`, or `TABLES_SPARK`. */
const PYTHON = process.env['TABLES_SPARK'] ?? join(homedir(), '.cache/twmd/spark/bin/python')
const isThere = spawnSync(PYTHON, ['-c', 'import pyspark']).status === 0

describe.skipIf(!isThere)(`Spark on two workers (skipped if ${PYTHON} lacks it: run test/delta/run)`, () => {
  let s: TestService
  beforeAll(async () => {
    s = await service({ examples: false })
    writeFileSync(tablesFile(s.dir), JSON.stringify(await makeHistories(s)))
  }, 300_000)
  afterAll(() => s.close())

  /** Parses the last line that a program prints. */
  const outputOf = (...args: readonly string[]): unknown => {
    const env = { ...process.env, TZ: 'UTC', PYTHONPATH: resolve('test/delta/spark') }
    const output = execFileSync(PYTHON, args, { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'pipe'] })
    return JSON.parse(output.trimEnd().split('\n').at(-1)!)
  }

  it('Spark reads every version of every dataset as the API sent it', () => {
    expect(outputOf('test/delta/readers/compare.py', 'rows', s.dir)).toMatchObject({ wrong: [] })
  }, 900_000)

  it('Spark can neither change a table nor vacuum its folder', () => {
    const { home } = releasePaths(s.workspace.releases, 'bond-yield-curve')
    expect(outputOf('test/delta/spark/writers.py', home)).toEqual({ 'DELETE FROM': true, VACUUM: true, 'INSERT INTO': true })
  }, 300_000)
})
