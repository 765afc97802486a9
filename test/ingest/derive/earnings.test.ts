import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Row } from '../../../catalog/index.ts'
import { ingest } from '../../fixtures/ingest/bodies.ts'
import { stored } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'
import { figures, filingsOn } from './filings.ts'

let s: TestService
let f: ReturnType<typeof filingsOn>
beforeAll(async () => {
  s = await service({ examples: false, indexed: false })
  f = filingsOn(s)
})
afterAll(() => s.close())

it('earnings of the first quarter and the year are as filed; earnings of later quarters are differences of filings', async () => {
  await f.file(
    f.filed('2025-Q1', { '2330': [1_000, 1.5] }),
    f.filed('2025-Q2', { '2330': [2_400, 3.31] }),
    f.filed('2025-Q3', { '2330': [3_300, 4.02] }),
    f.filed('2025-Q4', { '2330': [5_000, 6] }),
  )
  expect(figures(await f.quarters())).toEqual([
    ['2025-Q4', 1_700_000, 170_000, 1.98],
    ['2025-Q3', 900_000, 90_000, 0.71],
    ['2025-Q2', 1_400_000, 140_000, 1.81],
    ['2025-Q1', 1_000_000, 100_000, 1.5],
  ])
  expect((await f.quarters()).at(-1)).toEqual({
    ticker: '2330',
    fiscal_period: '2025-Q1',
    report_type: 'quarterly',
    announcement_date: null,
    revenue: 1_000_000,
    gross_profit: 500_000,
    operating_income: 250_000,
    net_income: 100_000,
    eps: 1.5,
    eps_surprise_pct: null,
    period_end: '2025-03-31',
  })
  expect(figures(await f.quarters('2330', '&report_type=annual'))).toEqual([['2025', 5_000_000, 500_000, 6]])
  const company = (await s.get('/v1/financial-reports/company-earnings?symbol=2330&report_type=all', s.keyOn('pro'))).json().data
  expect(company.map((row: Row) => [row['fiscal_period'], row['revenue'], row['currency']])).toEqual([
    ['2025-Q4', 1_700_000, 'TWD'],
    ['2025', 5_000_000, 'TWD'],
    ['2025-Q3', 900_000, 'TWD'],
    ['2025-Q2', 1_400_000, 'TWD'],
    ['2025-Q1', 1_000_000, 'TWD'],
  ])
})

it('earnings are not derived across companies or years', async () => {
  await f.file(
    f.filed('2020-Q1', { '2317': [900, 9] }),
    f.filed('2021-Q1', { '2454': [700, 7] }),
    f.filed('2021-Q2', { '2317': [1_900, 19], '2454': [1_500, 15] }),
  )
  expect(figures(await f.quarters('2317'))).toEqual([['2020-Q1', 900_000, 90_000, 9]])
  expect(figures(await f.quarters('2454'))).toEqual([
    ['2021-Q2', 800_000, 80_000, 8],
    ['2021-Q1', 700_000, 70_000, 7],
  ])
})

it('a restated quarter revises the earnings of every later quarter of the year', async () => {
  await f.file(f.filed('2022-Q1', { '2303': [1_000, 1] }), f.filed('2022-Q2', { '2303': [2_000, 2] }))
  const { publications } = await f.file(f.filed('2022-Q1', { '2303': [1_200, 1.2] }))
  expect(publications.map(({ dataset, outcome }) => [dataset, outcome.status, outcome.changes?.rows_changed])).toEqual([
    ['income-statements', 'published', 1],
    ['earnings', 'published', 2],
    ['company-earnings', 'published', 2],
  ])
  expect(figures(await f.quarters('2303'))).toEqual([
    ['2022-Q2', 800_000, 80_000, 0.8],
    ['2022-Q1', 1_200_000, 120_000, 1.2],
  ])
})

it('a quarter that repeats the figures of another quarter is refused unless the rule is accepted by name', async () => {
  const figuresOfThree = { '2882': [1_000, 1.5], '1301': [500, 0.4], '3008': [700, 9] } as const
  const rows = () => stored(s.workspace.releases, 'income-statements').manifest.statistics.rows
  await f.file(f.filed('2018-Q1', figuresOfThree))
  const before = rows()
  const { results } = await f.file(f.filed('2017-Q1', figuresOfThree))
  expect(results).toMatchObject([{ outcome: 'refused', said: 'same_body' }])
  expect(results[0]!.message).toContain('TWSE 2017-Q1 and TWSE 2018-Q1 share 3 keys, and 3 of them have the same figures')
  expect([rows(), figures(await f.quarters('2882'))]).toEqual([before, [['2018-Q1', 1_000_000, 100_000, 1.5]]])
  const again = await ingest(s, 'mops-eps', [f.filed('2017-Q1', figuresOfThree)], { accept: ['same_body'] })
  expect([again.results[0]!.outcome, rows()]).toEqual(['published', before + 3])
})
