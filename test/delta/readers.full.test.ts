import { readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { blockOf, blocksOf } from '../behaviour/documents/documents.ts'
import { makeHistories, type TableHistory, tablesFile } from '../fixtures/tables/history.ts'
import { replayed, rowsAt } from '../fixtures/tables/log.ts'
import { service, type TestService } from '../support.ts'
import { comparison, hasModules, READERS_PYTHON, resultOf, run } from './engines.ts'

const READERS = readdirSync('test/delta/readers')
  .filter(name => name.startsWith('with_'))
  .map(name => name.replace('.py', ''))
const isThere = hasModules(READERS_PYTHON, 'deltalake, polars, duckdb, chdb')

let s: TestService
let histories: readonly TableHistory[]
beforeAll(async () => {
  s = await service({ examples: false })
  histories = await makeHistories(s)
  writeFileSync(tablesFile(s.dir), JSON.stringify(histories))
}, 300_000)
afterAll(() => s.close())

it('every open table has one version per served release, with as many rows as the API sent', async () => {
  for (const { slug, versions } of histories) {
    expect(versions.length, slug).toBeGreaterThan(2)
    const log = replayed(s.workspace.releases, slug)
    expect(log.map(({ release }) => release)).toEqual(versions.map(({ release }) => release))
    for (const [index, { rows }] of versions.entries())
      expect((await rowsAt(s.workspace.session, s.workspace.releases, slug, log[index]!)).length, slug).toBe(rows.length)
  }
})

it.skipIf(!isThere).each(READERS)(
  `%s reads every open table as the API sends it (skipped if ${READERS_PYTHON} lacks the readers: run test/delta/run)`,
  async reader => {
    const versions = histories.reduce((sum, table) => sum + table.versions.length, 0)
    expect(await comparison(READERS_PYTHON, reader, s.dir)).toEqual({ versions, wrong: [] })
  },
  300_000,
)

it.skipIf(!isThere)(
  `the programs of docs/tables.md run (skipped if ${READERS_PYTHON} lacks the readers: run test/delta/run)`,
  async () => {
    const programs = blocksOf('docs/tables.md').filter(({ text }) => /^(import|from) /.test(text))
    expect(programs.length).toBe(3)
    symlinkSync('.', join(s.dir, 'data'))
    for (const { text } of programs) await run(READERS_PYTHON, ['-c', text], { cwd: s.dir })
    const { versions } = histories.find(({ slug }) => slug === 'institutional-positioning')!
    const ofTicker = versions.at(-1)!.rows.filter(({ ticker }) => ticker === '2330')
    const statements = [resolve('test/delta/readers/statements.py'), 'duckdb', blockOf('docs/tables.md', 'INSTALL delta')]
    const [filtered, first, ...others] = (await resultOf(READERS_PYTHON, statements, { cwd: s.dir })) as readonly (readonly unknown[])[]
    expect([filtered!.length, first!.length, others]).toEqual([ofTicker.length, versions[0]!.rows.length, []])
  },
  120_000,
)
