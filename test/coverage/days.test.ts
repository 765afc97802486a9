import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadCatalog, served } from '../../catalog/index.ts'
import { CoveredDays } from '../../src/http/routes/catalog/schemas.ts'
import { trade } from '../fixtures/publish/rows.ts'
import { service, type TestService } from '../support.ts'

const catalog = served(await loadCatalog())
let s: TestService
beforeAll(async () => {
  s = await service({ inMemory: false })
  await s.publish('institutional-positioning', [trade('2330', '2026-06-22', 5), trade('1101', '2026-06-22', 6)])
  await s.publish('institutional-positioning', [trade('2330', '2026-06-24', 7)])
})
afterAll(() => s.close())

async function daysOf(dataset: string) {
  const response = await s.get(`/v2/coverage/${dataset}/days`)
  expect(response.statusCode, response.body).toBe(200)
  expect(CoveredDays.parse(response.json())).toEqual(response.json())
  return response.json<{ days_with_rows: number; data: readonly { date: string; rows: number }[] }>()
}

it('coverage days list the rows of each day, including appended days, and trading days without rows', async () => {
  // The example rows end on the 29th and 30th; the 27th and 28th are a weekend.
  const rows = { '2026-06-22': 2, '2026-06-23': 0, '2026-06-24': 1, '2026-06-25': 0, '2026-06-26': 0, '2026-06-29': 1, '2026-06-30': 1 }
  expect(await daysOf('institutional-positioning')).toMatchObject({
    column: 'trade_date',
    days_with_rows: 4,
    days_without_rows: 3,
    data_count: 7,
    data: Object.entries(rows).map(([date, rows]) => ({ date, rows })),
  })
})

it('when the service activates a release, coverage days include the release', async () => {
  await s.publish('institutional-positioning', [trade('2330', '2026-06-23', 8)])
  expect(await daysOf('institutional-positioning')).toMatchObject({ days_with_rows: 5, days_without_rows: 2 })
})

it('for every dataset, coverage days span the whole coverage, and their rows add up to the row count', async () => {
  for (const { slug } of catalog) {
    const { data } = await daysOf(slug)
    const { row_count: rows, first_date: first, last_date: last } = (await s.get(`/v2/coverage/${slug}`)).json()
    expect.soft([data[0]?.date ?? null, data.at(-1)?.date ?? null], slug).toEqual([first, last])
    if (data.length > 0)
      expect
        .soft(
          data.reduce((sum, day) => sum + day.rows, 0),
          slug,
        )
        .toBe(rows)
  }
})
