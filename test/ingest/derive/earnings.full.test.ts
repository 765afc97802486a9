import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Row } from '../../../catalog/index.ts'
import { stored } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'
import { figures, filingsOn } from './filings.ts'

let s: TestService
let f: ReturnType<typeof filingsOn>
beforeEach(async () => {
  s = await service({ examples: false, indexed: false })
  f = filingsOn(s)
})
afterEach(() => s.close())

const FIGURES = { '2330': [1_000, 1.5], '1101': [500, 0.4], '2454': [700, 9] } as const
const MORE = { '2412': [300, 1.1], '2882': [900, 2.2], '3008': [110, 30], '6505': [820, -1] } as const

it('announcement dates and surprises published by hand survive later statements', async () => {
  await f.file(f.filed('2025-Q1', { '2330': [1_000, 1] }))
  const [row] = await f.quarters()
  await s.publish('earnings', [{ ...row, announcement_date: '2025-05-14', eps_surprise_pct: 3.5 }])
  const company = (await s.get('/v1/financial-reports/company-earnings?symbol=2330', s.keyOn('pro'))).json().data[0]
  await s.publish('company-earnings', [{ ...company, announcement_date: '2025-05-14' }])
  await f.file(f.filed('2025-Q2', { '2330': [2_000, 2] }), f.filed('2025-Q1', { '2330': [1_100, 1.1] }))
  expect(
    (await f.quarters()).map(row => [row['fiscal_period'], row['revenue'], row['announcement_date'], row['eps_surprise_pct']]),
  ).toEqual([
    ['2025-Q2', 900_000, null, null],
    ['2025-Q1', 1_100_000, '2025-05-14', 3.5],
  ])
  const { data } = (await s.get('/v1/financial-reports/company-earnings?symbol=2330', s.keyOn('pro'))).json()
  expect(data.map((row: Row) => row['announcement_date'])).toEqual([null, '2025-05-14'])
})

it('statements published from a partition file become earnings', async () => {
  const [row] = s.dataset('income-statements').example
  const { followUps } = await s.publish('income-statements', [
    { ...row, fiscal_year: 2025, period_end: '2025-03-31', revenue: 1_000, net_income: 100, eps: 1 },
  ])
  expect(followUps.map(({ dataset, outcome }) => [dataset, outcome.status])).toEqual([
    ['earnings', 'published'],
    ['company-earnings', 'published'],
  ])
  expect(figures(await f.quarters())).toEqual([['2025-Q1', 1_000_000, 100_000, 1]])
  expect(stored(s.workspace.releases, 'earnings').manifest.sources[0]).toMatchObject({
    name: `income-statements ${stored(s.workspace.releases, 'income-statements').release}`,
    read_as: 'release',
  })
})

it('a body that repeats the figures of another quarter is refused, even if some companies filed late or again', async () => {
  await f.file(f.filed('2025-Q1', FIGURES))
  const later = { ...FIGURES, '2454': [701, 9.1], ...MORE } as const
  expect((await f.file(f.filed('2024-Q1', later))).results).toMatchObject([{ outcome: 'refused', said: 'same_body' }])
  expect((await f.file(f.filed('2025-Q1', later))).results).toMatchObject([{ outcome: 'published' }])
})

it('if a run has two quarters with equal figures, both are refused, and another quarter is published', async () => {
  const { results } = await f.file(f.filed('2025-Q1', FIGURES), f.filed('2024-Q1', FIGURES), f.filed('2025-Q2', MORE))
  expect(results.map(({ file: name, outcome, said }) => [name, outcome, said]).toSorted()).toEqual([
    ['2024-Q1.csv', 'refused', 'same_body'],
    ['2025-Q1.csv', 'refused', 'same_body'],
    ['2025-Q2.csv', 'published', null],
  ])
})

it('a quarter is accepted when only a small number of companies repeat their figures', async () => {
  await f.file(f.filed('2025-Q1', { ...FIGURES, ...MORE }))
  const moved = { ...FIGURES, '2412': [601, 2.2], '2882': [1_801, 4.4], '3008': [221, 60], '6505': [1_641, -2] } as const
  expect((await f.file(f.filed('2025-Q2', moved))).results).toMatchObject([{ outcome: 'published' }])
  expect((await f.file(f.filed('2025-Q3', { '2330': [1_000, 1.5] }))).results).toMatchObject([{ outcome: 'published' }])
})

it('earnings omit a quarter until the previous quarter is filed', async () => {
  await f.file(
    f.filed('2023-Q1', { '1101': [1_000, 1] }),
    f.filed('2023-Q2', { '1101': [2_000, 2] }),
    f.filed('2023-Q4', { '1101': [5_000, 5] }),
  )
  expect(figures(await f.quarters('1101')).map(([period]) => period)).toEqual(['2023-Q2', '2023-Q1'])
  expect(figures(await f.quarters('1101', '&report_type=annual'))).toEqual([['2023', 5_000_000, 500_000, 5]])
  await f.file(f.filed('2023-Q3', { '1101': [3_500, 3.5] }))
  expect(figures(await f.quarters('1101'))).toEqual([
    ['2023-Q4', 1_500_000, 150_000, 1.5],
    ['2023-Q3', 1_500_000, 150_000, 1.5],
    ['2023-Q2', 1_000_000, 100_000, 1],
    ['2023-Q1', 1_000_000, 100_000, 1],
  ])
})
