import files from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createStaging, EMPTY_CALENDAR, publish, stagedColumns, stageRows } from '../../../ingest/publish/index.ts'
import { quote, trade } from '../../fixtures/publish/rows.ts'
import { type Publisher, publisher } from './publisher.ts'

const read: string[] = []
const { readFile } = files
/** Named imports of Node's modules see a replaced function only after `syncBuiltinESMExports`. */
const replaceReadFile = (by: typeof readFile): void => {
  files.readFile = by
  syncBuiltinESMExports()
}
const recording = ((...args: Parameters<typeof readFile>) => {
  read.push(String(args[0]))
  return readFile(...args)
}) as typeof readFile

let s: Publisher
beforeEach(async () => {
  s = await publisher()
  replaceReadFile(recording)
})
afterEach(async () => {
  replaceReadFile(readFile)
  await s.close()
})

it('a publication reads each manifest of its dataset, joined datasets and compared datasets once', async () => {
  await s.publish('trading-calendar', [{ market: 'TWSE', date: '2026-06-19', is_open: false, reason: '端午節' }])
  await s.publish('daily-prices', [quote('2330', '2026-06-22', 100), quote('2330', '2026-06-23', 100)])
  await s.publish('institutional-positioning', [trade('2330', '2026-06-22', 5)])
  const dataset = s.dataset('institutional-positioning')
  const rows = [trade('2330', '2026-06-23', 7)]
  const columns = stagedColumns(dataset, rows)
  const relation = await createStaging(s.workspace.session, 'raw', columns)
  await stageRows(s.workspace.session, dataset, relation, columns, 0, rows)
  const sources = [{ name: 'day.json', sha256: 'a'.repeat(64), bytes: 1, read_as: 'json', url: null }]
  const batch = { dataset, relation, sources, synthetic: false, accept: [], sourceBySource: false, calendar: EMPTY_CALENDAR }
  const releases = s.workspace.releases
  read.length = 0
  const outcome = await publish(s.workspace, batch)
  expect(outcome).toMatchObject({ status: 'published', faults: [], moved: ['2330'] })
  const manifests = read.filter(file => file.startsWith(releases) && file.endsWith('manifest.json') && !file.includes(outcome.release!))
  expect(manifests.map(file => file.slice(releases.length + 1).split('/')[0]).sort()).toEqual([
    'daily-quotes',
    'institutional-positioning',
    'trading-calendar',
  ])
})
