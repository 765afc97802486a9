import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { dataFolder, openTestWorkspace, publishRows } from '../support.ts'
import { hasModules, READERS_PYTHON } from './engines.ts'

const isThere = hasModules(READERS_PYTHON, 'deltalake')

it.skipIf(!isThere)(
  `vacuum and cleanup_metadata of delta-rs delete no file of a table (skipped if ${READERS_PYTHON} lacks deltalake)`,
  async () => {
    const { dir, remove } = await dataFolder()
    const workspace = await openTestWorkspace(dir)
    const calendar = workspace.catalog.get('trading-calendar')!
    for (let day = 1; day <= 3; day++) await publishRows(workspace, dir, calendar, [{ ...calendar.example[0]!, date: `2026-06-0${day}` }])
    workspace.close()
    const table = join(dir, 'releases/trading-calendar')
    const files = () => readdirSync(table, { recursive: true, encoding: 'utf8' }).toSorted()
    const before = files()
    const attempts = JSON.parse(execFileSync(READERS_PYTHON, ['test/delta/writers.py', table], { encoding: 'utf8' }))
    expect(attempts).toEqual({
      vacuum: 'nothing to delete',
      'vacuum without a retention check': 'refused',
      'full vacuum without a retention check': 'refused',
      delete: 'refused',
      cleanup_metadata: 'done',
    })
    const checkpoint = (name: string): boolean => name.includes('checkpoint')
    expect(files().filter(name => !checkpoint(name))).toEqual(before.filter(name => !checkpoint(name)))
    await remove()
  },
)
