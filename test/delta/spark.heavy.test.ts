import { symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { releasePaths } from '../../src/releases/index.ts'
import { blockOf } from '../behaviour/documents/documents.ts'
import { makeHistories, type TableHistory, tablesFile } from '../fixtures/tables/history.ts'
import { service, type TestService } from '../support.ts'
import { comparison, hasModules, resultOf, run, SPARK_PYTHON } from './engines.ts'

const isThere = hasModules(SPARK_PYTHON, 'pyspark')

describe.skipIf(!isThere)(`Spark on two workers (skipped if ${SPARK_PYTHON} lacks it: run test/delta/run)`, () => {
  let s: TestService
  let tables: readonly TableHistory[]
  beforeAll(async () => {
    s = await service({ examples: false })
    tables = await makeHistories(s)
    writeFileSync(tablesFile(s.dir), JSON.stringify(tables))
  }, 300_000)
  afterAll(() => s.close())

  const env = { PYTHONPATH: resolve('test/delta/spark') }

  it('Spark reads every version of every dataset as the API sent it', async () => {
    const versions = tables.reduce((sum, table) => sum + table.versions.length, 0)
    expect(await comparison(SPARK_PYTHON, 'rows', s.dir, env)).toEqual({ versions, wrong: [] })
  }, 900_000)

  it('the code of docs/tables.md reads a table with Spark', async () => {
    symlinkSync('.', join(s.dir, 'data'))
    const program = `from session import session\nspark = session()\n${blockOf('docs/tables.md', 'spark.read')}`
    expect(await run(SPARK_PYTHON, ['-c', program], { cwd: s.dir, env })).toContain('|  2330|')
  }, 300_000)

  it('Spark can neither change a table nor vacuum its folder', async () => {
    const { home } = releasePaths(s.workspace.releases, 'bond-yield-curve')
    const outcomes = await resultOf(SPARK_PYTHON, ['test/delta/spark/writers.py', home], { env })
    expect(outcomes).toEqual({ 'DELETE FROM': true, VACUUM: true, 'INSERT INTO': true })
  }, 300_000)
})
