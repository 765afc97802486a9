import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ingestFiles } from '../../../ingest/index.ts'
import { twmd } from '../../fixtures/cli/twmd.ts'
import { feeds } from '../../fixtures/ingest/bodies.ts'
import { stored } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'

const SLUG = 'broker-branch-reference'
let s: TestService
beforeEach(async () => {
  s = await service({ examples: false })
})
afterEach(() => s.close())

const LIST = [
  ['1020', '合庫', '100/12/02', '台北市忠孝東路四段285號', '02-27528000'],
  ['1021', '合庫- 台中', '100/12/02', '台中市民權路91號', '04-22255141'],
  ['1022', '合庫- 台南', '100/12/02', '台南市成功路48號', '06-2260148'],
  ['1023', '合庫- 高雄', '100/12/02', '高雄市大勇路97號', '07-5319755'],
]

/** Ingests a list without a date, with its day of retrieval. */
async function take(day: string, rows: readonly (readonly string[])[]) {
  const file = join(s.dir, `list-${day}.csv`)
  writeFileSync(file, ['證券商代號,證券商名稱,開業日,地址,電話', ...rows.map(row => row.join(',')), ''].join('\n'))
  const options = { requestedDay: day, accept: ['row_count_drift'], progress: () => {} }
  const { results, publications } = await ingestFiles(s.workspace, feeds.get('broker-branches')!, [file], options)
  expect(results).toMatchObject([{ outcome: expect.stringMatching('published|unchanged') }])
  await s.releases.refresh()
  await s.publications.refresh()
  return publications.find(({ dataset }) => dataset === SLUG)!.outcome
}

const branch = async (code: string) => (await s.get(`/v2/datasets/${SLUG}?branch_code=${code}`, s.keyOn('pro'))).json().data[0]

it('twmd releases diff counts rows that differ only in their source as unchanged, and lists them with --provenance', async () => {
  await take('2021-03-30', LIST)
  const first = stored(s.workspace.releases, SLUG).release
  const moved = LIST.map(row => (row[0] === '1022' ? [...row.slice(0, 3), '台南市北門路1號', row[4]!] : row))
  const outcome = await take('2024-03-30', moved)
  expect(outcome).toMatchObject({
    status: 'published',
    rowsConfirmed: 2,
    changes: { kind: 'revision', rows_added: 0, rows_changed: 1, rows_removed: 0 },
  })
  expect((await branch('1021')).source_lineage.source_date).toBe('2024-03-30')
  const { data } = (await s.get('/v2/updates?since=2000-01-01')).json()
  expect(data[0]).toMatchObject({ kind: 'revision', rows_changed: 1, changed: { rows: 1 }, previous_release_version: first })
  const { stdout } = await twmd(s.dir, 'releases', 'diff', SLUG)
  expect(stdout.split('\n').slice(1, 5)).toEqual([
    '0 added, 1 changed, 0 removed, 2 unchanged, 2 of them with another source',
    'changed cells: source_lineage (3), address (1)',
    '~ 1022',
    '    address: 台南市成功路48號 → 台南市北門路1號',
  ])
  const whole = await twmd(s.dir, 'releases', 'diff', SLUG, '--provenance', '--format', 'csv')
  expect(whole.stdout.split('\n').filter(line => line.startsWith('confirmed,'))).toHaveLength(2)
})

it('if only the source of rows is newer, the updates feed lists new_rows with no row added or changed', async () => {
  await take('2021-03-30', LIST)
  const first = stored(s.workspace.releases, SLUG).release
  expect(await take('2024-03-30', LIST)).toMatchObject({
    status: 'published',
    rowsConfirmed: 3,
    changes: { kind: 'new_rows', rows_added: 0, rows_changed: 0, rows_removed: 0, date_from: null, date_to: null },
  })
  expect(stored(s.workspace.releases, SLUG).manifest.data_as_of).toBe('2024-03-30')
  expect((await branch('1021')).source_lineage.source_date).toBe('2024-03-30')
  const { data } = (await s.get('/v2/updates?since=2000-01-01')).json()
  expect(data[0]).toMatchObject({
    kind: 'new_rows',
    rows_added: 0,
    rows_changed: 0,
    rows_removed: 0,
    data_date_from: null,
    added: null,
    changed: null,
    removed: null,
    previous_release_version: first,
  })
  expect(await take('2024-03-30', LIST)).toMatchObject({ status: 'unchanged', rowsConfirmed: 0 })
})
