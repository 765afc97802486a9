import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeHistories, type TableHistory, tablesFile } from '../fixtures/tables/history.ts'
import { replayed, rowsAt } from '../fixtures/tables/log.ts'
import { service, type TestService } from '../support.ts'

/** The Python of `test/delta/run`, or `TABLES_PYTHON`. */
const PYTHON = process.env['TABLES_PYTHON'] ?? join(homedir(), '.cache/twmd/readers/bin/python')
const READERS = readdirSync('test/delta/readers')
  .filter(name => name.startsWith('with_'))
  .map(name => name.replace('.py', ''))
const isThere = spawnSync(PYTHON, ['-c', 'import deltalake, polars, duckdb, chdb']).status === 0

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
  `%s reads every open table as the API sends it (skipped if ${PYTHON} lacks the readers: run test/delta/run)`,
  reader => {
    const output = execFileSync(PYTHON, ['test/delta/readers/compare.py', reader, s.dir], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    expect(JSON.parse(output.trimEnd().split('\n').at(-1)!)).toMatchObject({ wrong: [] })
  },
  300_000,
)

it.skipIf(!isThere)(
  `the programs of docs/tables.md run (skipped if ${PYTHON} lacks the readers: run test/delta/run)`,
  () => {
    const blocks = [...readFileSync('docs/tables.md', 'utf8').matchAll(/^```text\n([\s\S]*?)^```$/gm)].map(([, text]) => text!)
    const programs = blocks.filter(text => /^(import|from) /.test(text))
    expect(programs.length).toBe(3)
    symlinkSync('.', join(s.dir, 'data'))
    for (const program of programs) execFileSync(PYTHON, ['-c', program], { cwd: s.dir, stdio: ['ignore', 'pipe', 'pipe'] })
  },
  60_000,
)
