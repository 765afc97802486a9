import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Row, storedColumns } from '../../catalog/index.ts'
import { rebuildTable, type Workspace } from '../../ingest/publish/index.ts'
import { checkLog, logFolder } from '../../src/delta/index.ts'
import { stored, storedRows } from '../fixtures/publish/store.ts'
import { tablesFile } from '../fixtures/tables/history.ts'
import { replayed } from '../fixtures/tables/log.ts'
import { dataFolder, openTestWorkspace, publishRows } from '../support.ts'
import { hasModules, READERS_PYTHON } from './engines.ts'

const isThere = hasModules(READERS_PYTHON, 'deltalake, polars, duckdb, chdb')
const READERS = ['with_deltalake', 'with_polars', 'with_duckdb', 'with_chdb']

const SLUG = 'securities-firm-master'
const VERSIONS = 103
let folder: Awaited<ReturnType<typeof dataFolder>>
let w: Workspace
beforeAll(async () => {
  folder = await dataFolder()
  w = await openTestWorkspace(folder.dir)
  for (let version = 0; version < VERSIONS; version++) await publish(version)
  expect(replayed(w.releases, SLUG).length).toBe(VERSIONS)
}, 300_000)
afterAll(async () => {
  w.close()
  await folder.remove()
})

const dataset = () => w.catalog.get(SLUG)!
const publish = (version: number) => {
  const [first, ...rest] = dataset().example as readonly Row[]
  const marked = Object.keys(first!).find(name => dataset().columns[name]!.type === 'text' && !dataset().grain.includes(name))!
  return publishRows(w, folder.dir, dataset(), [{ ...first, [marked]: `version ${version}` }, ...rest])
}
const inLog = (name: string): string => join(logFolder(w.releases, SLUG), name)
const name = (version: number, ending: string): string => inLog(`${String(version).padStart(20, '0')}.${ending}`)
const pointer = () => JSON.parse(readFileSync(inLog('_last_checkpoint'), 'utf8'))
const checkpoints = () => readdirSync(inLog('.')).filter(file => file.endsWith('.parquet'))
const check = async () => (await checkLog(w.releases, dataset())).fault

/** The `add` actions of a checkpoint, and its other actions. */
async function heldBy(version: number) {
  const rows = await w.session.rows(`SELECT protocol, "metaData", "add" FROM '${name(version, 'checkpoint.parquet')}'`)
  return {
    paths: rows.flatMap(row => (row['add'] ? [(row['add'] as { readonly path: string }).path] : [])).sort(),
    others: rows.filter(row => !row['add']).map(row => [row['protocol'] !== null, row['metaData'] !== null]),
  }
}

it('a table log has a checkpoint of version 100 with exactly the parts of that version', async () => {
  expect(pointer()).toMatchObject({ version: 100 })
  expect(checkpoints().length).toBe(1)
  expect(await heldBy(100)).toEqual({
    paths: replayed(w.releases, SLUG)[100]!.files,
    others: [
      [true, false],
      [false, true],
    ],
  })
  expect(await check()).toBeNull()
})

it.skipIf(!isThere).each(READERS)(
  `%s reads a table from its checkpoint alone (skipped if ${READERS_PYTHON} lacks the readers: run test/delta/run)`,
  async reader => {
    const { paths, release } = stored(w.releases, SLUG)
    const columns = Object.fromEntries(storedColumns(dataset()).map(column => [column, dataset().columns[column]!.type]))
    const rows = await storedRows(w.session, w.releases, SLUG)
    const versions = [{ version: VERSIONS - 1, release, rows }]
    writeFileSync(tablesFile(folder.dir), JSON.stringify([{ slug: SLUG, name: SLUG, folder: paths.home, columns, versions }]))
    const early = Array.from({ length: 100 }, (_, version) => name(version, 'json'))
    const texts = early.map(file => readFileSync(file))
    for (const file of early) rmSync(file)
    try {
      const program = [
        '-c',
        `import sys; sys.path.insert(0, 'test/delta/readers'); import json, ${reader} as reader
table = json.load(open(sys.argv[1]))[0]; got = reader.rows(table, None); print(len(got))`,
      ]
      expect(execFileSync(READERS_PYTHON, [...program, tablesFile(folder.dir)], { encoding: 'utf8' }).trim()).toBe(String(rows.length))
    } finally {
      for (const [index, file] of early.entries()) writeFileSync(file, texts[index]!)
    }
  },
)

it.each([
  ['is damaged', () => writeFileSync(inLog(checkpoints()[0]!), 'no parquet')],
  ['is missing', () => rmSync(inLog(checkpoints()[0]!))],
  ['has an unreadable pointer', () => writeFileSync(inLog('_last_checkpoint'), '{')],
])('rebuilding a table whose checkpoint %s writes a new checkpoint and keeps every commit', async (_, damage) => {
  const before = replayed(w.releases, SLUG)
  damage()
  expect(await check()).toMatch(/checkpoint/)
  await rebuildTable(w, dataset())
  expect(await check()).toBeNull()
  expect(checkpoints().length).toBe(1)
  expect((await heldBy(pointer().version)).paths).toEqual(before.at(-1)!.files)
  expect(replayed(w.releases, SLUG)).toEqual(before)
})
