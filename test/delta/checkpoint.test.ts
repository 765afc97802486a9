import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { checkpointFault, removeCheckpoints, writeCheckpoint } from '../../src/delta/checkpoint.ts'
import { addFiles, tableMetadata } from '../../src/delta/index.ts'
import { day } from '../fixtures/publish/rows.ts'
import { stored } from '../fixtures/publish/store.ts'
import { type LogWorkspace, openLogWorkspace, SLUG } from './log-workspace.ts'

let t: LogWorkspace
beforeAll(async () => {
  t = await openLogWorkspace()
  await t.publish(day('2026-06-29', 1))
})
afterAll(() => t.close())

it('a checkpoint contains protocol, metadata and parts of its version, and twmd tables check detects damage to the checkpoint', async () => {
  const [folder, { manifest }] = [t.logDir(), stored(t.w.releases, SLUG)]
  const files = addFiles(t.dataset, manifest, 0)
  const protocol = { minReaderVersion: 1, minWriterVersion: 7, writerFeatures: ['twmdManaged'] } as never
  await writeCheckpoint(t.w.session, folder, { version: 100, protocol, metaData: tableMetadata(t.dataset, false), files })
  const file = join(folder, '00000000000000000100.checkpoint.parquet')
  const rows = await t.w.session.rows(`SELECT protocol IS NOT NULL AS p, "metaData" IS NOT NULL AS m, "add".path AS path FROM '${file}'`)
  expect(rows.map(({ p, m, path }) => [p, m, path])).toEqual([
    [true, false, null],
    [false, true, null],
    ...files.map(({ path }) => [false, false, path]),
  ])
  expect(await checkpointFault(folder)).toBeNull()
  writeFileSync(file, readFileSync(file).subarray(1))
  expect(await checkpointFault(folder)).toBe('the checkpoint of version 100 is damaged')
  await removeCheckpoints(folder)
  expect(await checkpointFault(folder)).toBeNull()
})
