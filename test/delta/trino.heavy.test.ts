import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkLog } from '../../src/delta/index.ts'
import { releasePaths } from '../../src/releases/index.ts'
import { blockOf } from '../behaviour/documents/documents.ts'
import { makeHistories, type TableHistory, tablesFile } from '../fixtures/tables/history.ts'
import { service, type TestService } from '../support.ts'
import { hasTrino, TRINO_NEEDS } from './engines.ts'
import { startTrino, type Trino } from './trino/server.ts'

const SLUG = 'institutional-positioning'

describe.skipIf(!hasTrino)(`Trino over local files (skipped without ${TRINO_NEEDS})`, () => {
  let s: TestService
  let tables: readonly TableHistory[]
  let trino: Trino | undefined
  beforeAll(async () => {
    s = await service({ examples: false })
    tables = await makeHistories(s)
    // `/srv` of the guide, with the data folder in `/srv/twmd`.
    const srv = join(s.dir, 'srv')
    mkdirSync(srv)
    symlinkSync('..', join(srv, 'twmd'))
    const located = tables.map(table => ({ ...table, folder: `local:///twmd/releases/${basename(table.folder)}` }))
    writeFileSync(tablesFile(s.dir), JSON.stringify(located))
    const catalog = blockOf('docs/tables.md', 'connector.name=').replace('=/srv', `=${srv}`)
    trino = await startTrino(s.dir, catalog)
  }, 900_000)
  afterAll(async () => {
    await trino?.stop()
    await s?.close()
  }, 60_000)

  it('the statements of docs/tables.md read a table and its first version', async () => {
    const { versions } = tables.find(({ slug }) => slug === SLUG)!
    const results = await trino!.execute(blockOf('docs/tables.md', 'CREATE SCHEMA delta.twmd'))
    expect(results.map(({ error }) => error)).toEqual([null, null, null, null])
    expect(results[2]!.rows.length).toBe(versions.at(-1)!.rows.filter(({ ticker }) => ticker === '2330').length)
    expect(results[2]!.rows.length).toBeGreaterThan(0)
    expect(results[3]!.rows).toEqual([[versions[0]!.rows.length]])
  }, 300_000)

  it('Trino reads every version of every dataset as the API sent it', async () => {
    const versions = tables.reduce((sum, table) => sum + table.versions.length, 0)
    expect(await trino!.compare(s.dir)).toEqual({ versions, wrong: [] })
  }, 900_000)

  it('Trino refuses to write and to vacuum, and deletes no file of a dropped table', async () => {
    const { home } = releasePaths(s.workspace.releases, SLUG)
    const files = () => readdirSync(home, { recursive: true, encoding: 'utf8' }).toSorted()
    const before = files()
    const table = 'delta.twmd.institutional_positioning'
    // Trino cannot insert or delete in local tables, so it refuses these statements before it reads
    // the protocol.
    const writes = [
      [`DELETE FROM ${table} WHERE ticker = '2330'`, 'Writes are not enabled on the local filesystem'],
      [`INSERT INTO ${table} SELECT * FROM ${table}`, 'Writes are not enabled on the local filesystem'],
      [`ALTER TABLE ${table} EXECUTE optimize`, 'twmdManaged'],
      [`COMMENT ON TABLE ${table} IS 'changed'`, 'twmdManaged'],
      [`CALL delta.system.vacuum('twmd', 'institutional_positioning', '7d')`, 'twmdManaged'],
    ] as const
    const refusals = await trino!.execute(writes.map(([statement]) => statement).join(';'))
    for (const [index, [statement, reason]] of writes.entries()) expect.soft(refusals[index]!.error, statement).toContain(reason)
    expect(files()).toEqual(before)
    const results = await trino!.execute(`ANALYZE ${table}; DROP TABLE ${table}`)
    expect(results.map(({ error }) => error)).toEqual([null, null])
    // ANALYZE writes statistics into `_trino_meta`, which readers of the log ignore.
    expect(files().filter(name => !name.startsWith('_delta_log/_trino_meta'))).toEqual(before)
    expect((await checkLog(s.workspace.releases, s.dataset(SLUG))).fault).toBeNull()
  }, 300_000)
})
