import { afterAll, beforeAll, expect, it } from 'vitest'
import { stored } from '../../fixtures/publish/store.ts'
import { type Publisher, publisher } from './publisher.ts'

const SLUG = 'broker-branch-reference'
const LIST = [
  ['1020', '合庫', '100/12/02', '台北市忠孝東路四段285號', '02-27528000'],
  ['1021', '合庫- 台中', '100/12/02', '台中市民權路91號', '04-22255141'],
  ['1022', '合庫- 台南', '100/12/02', '台南市成功路48號', '06-2260148'],
  ['1023', '合庫- 高雄', '100/12/02', '高雄市大勇路97號', '07-5319755'],
]
let s: Publisher
beforeAll(async () => {
  s = await publisher()
})
afterAll(() => s.close())

it('publishing a list again counts equal rows as confirmed and states their newer source', async () => {
  const collect = async (day: string, rows: readonly (readonly string[])[]) => {
    const lines = ['證券商代號,證券商名稱,開業日,地址,電話', ...rows.map(row => row.join(',')), '']
    const { publications } = await s.ingest('broker-branches', [s.file(`list-${day}.csv`, lines.join('\n'))], day, ['row_count_drift'])
    return publications.find(({ dataset }) => dataset === SLUG)!.outcome
  }
  await collect('2021-03-30', LIST)
  expect(await collect('2024-03-30', LIST)).toMatchObject({
    status: 'published',
    rowsConfirmed: 3,
    changes: { kind: 'new_rows', rows_added: 0, rows_changed: 0, rows_removed: 0, date_from: null, date_to: null },
  })
  expect(stored(s.workspace.releases, SLUG).manifest.data_as_of).toBe('2024-03-30')
  const sources = await s.rows(SLUG, "DISTINCT source_lineage->>'source_date' AS day")
  expect(sources).toEqual([{ day: '2024-03-30' }])
  const moved = LIST.map(row => (row[0] === '1022' ? [...row.slice(0, 3), '台南市北門路1號', row[4]!] : row))
  expect(await collect('2025-03-30', moved)).toMatchObject({
    status: 'published',
    rowsConfirmed: 2,
    changes: { kind: 'revision', rows_added: 0, rows_changed: 1, rows_removed: 0 },
  })
  expect(await collect('2025-03-30', moved)).toMatchObject({ status: 'unchanged', rowsConfirmed: 0 })
})
