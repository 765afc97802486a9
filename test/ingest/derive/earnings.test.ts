import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Row } from '../../../catalog/index.ts'
import { body, ingest } from '../../fixtures/ingest/bodies.ts'
import { stored } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'

let s: TestService
beforeEach(async () => {
  s = await service({ examples: false })
})
afterEach(() => s.close())

const HEAD =
  'ticker,name,market,fiscal_period,industry_schema,revenue_k,gross_profit_k,operating_income_k,net_income_k,net_income_parent_k,eps'
/** Statements as filed: the year to date in thousands of TWD, gross profit half and the parent's income a tenth of revenue. */
const filed = (period: string, revenues: Readonly<Record<string, readonly [revenue: number, eps: number]>>): string =>
  body(
    s,
    `${period}.csv`,
    [
      HEAD,
      ...Object.entries(revenues).map(
        ([ticker, [k, eps]]) => `${ticker},範例,TWSE,${period},ci,${k},${k / 2},${k / 4},${k / 5},${k / 10},${eps}`,
      ),
      '',
    ].join('\n'),
  )
const file = (...files: readonly string[]) => ingest(s, 'mops-eps', files)
async function quarters(symbol = '2330', query = ''): Promise<readonly Row[]> {
  return (await s.get(`/v1/earnings?symbol=${symbol}${query}`, s.keyOn('pro'))).json().data
}
const figures = (rows: readonly Row[]) => rows.map(row => [row['fiscal_period'], row['revenue'], row['net_income'], row['eps']])

describe('earnings from year-to-date statements', () => {
  it('earnings of the first quarter are as filed, in TWD', async () => {
    await file(filed('2025-Q1', { '2330': [1_000, 1.5] }))
    expect(await quarters()).toEqual([
      {
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
      },
    ])
  })

  it('earnings of later quarters are differences of filings, and of the year the last filing', async () => {
    await file(
      filed('2025-Q1', { '2330': [1_000, 1.5] }),
      filed('2025-Q2', { '2330': [2_400, 3.31] }),
      filed('2025-Q3', { '2330': [3_300, 4.02] }),
      filed('2025-Q4', { '2330': [5_000, 6] }),
    )
    expect(figures(await quarters())).toEqual([
      ['2025-Q4', 1_700_000, 170_000, 1.98],
      ['2025-Q3', 900_000, 90_000, 0.71],
      ['2025-Q2', 1_400_000, 140_000, 1.81],
      ['2025-Q1', 1_000_000, 100_000, 1.5],
    ])
    expect(figures(await quarters('2330', '&report_type=annual'))).toEqual([['2025', 5_000_000, 500_000, 6]])
    const company = (await s.get('/v1/financial-reports/company-earnings?symbol=2330&report_type=all', s.keyOn('pro'))).json().data
    expect(company.map((row: Row) => [row['fiscal_period'], row['revenue'], row['currency']])).toEqual([
      ['2025-Q4', 1_700_000, 'TWD'],
      ['2025', 5_000_000, 'TWD'],
      ['2025-Q3', 900_000, 'TWD'],
      ['2025-Q2', 1_400_000, 'TWD'],
      ['2025-Q1', 1_000_000, 'TWD'],
    ])
  })

  it('earnings omit a quarter until its predecessor is filed', async () => {
    await file(filed('2025-Q1', { '2330': [1_000, 1] }), filed('2025-Q2', { '2330': [2_000, 2] }), filed('2025-Q4', { '2330': [5_000, 5] }))
    expect(figures(await quarters()).map(([period]) => period)).toEqual(['2025-Q2', '2025-Q1'])
    expect(figures(await quarters('2330', '&report_type=annual'))).toEqual([['2025', 5_000_000, 500_000, 5]])
    await file(filed('2025-Q3', { '2330': [3_500, 3.5] }))
    expect(figures(await quarters())).toEqual([
      ['2025-Q4', 1_500_000, 150_000, 1.5],
      ['2025-Q3', 1_500_000, 150_000, 1.5],
      ['2025-Q2', 1_000_000, 100_000, 1],
      ['2025-Q1', 1_000_000, 100_000, 1],
    ])
  })

  it('earnings are not derived across companies or years', async () => {
    await file(
      filed('2024-Q1', { '2330': [900, 9] }),
      filed('2025-Q1', { '2454': [700, 7] }),
      filed('2025-Q2', { '2330': [1_900, 19], '2454': [1_500, 15] }),
    )
    expect(figures(await quarters())).toEqual([['2024-Q1', 900_000, 90_000, 9]])
    expect(figures(await quarters('2454'))).toEqual([
      ['2025-Q2', 800_000, 80_000, 8],
      ['2025-Q1', 700_000, 70_000, 7],
    ])
  })

  it('a restated quarter revises the earnings of every later quarter of the year', async () => {
    await file(filed('2025-Q1', { '2330': [1_000, 1] }), filed('2025-Q2', { '2330': [2_000, 2] }))
    const { publications } = await file(filed('2025-Q1', { '2330': [1_200, 1.2] }))
    expect(publications.map(({ dataset, outcome }) => [dataset, outcome.status, outcome.changes?.rows_changed])).toEqual([
      ['income-statements', 'published', 1],
      ['earnings', 'published', 2],
      ['company-earnings', 'published', 2],
    ])
    expect(figures(await quarters())).toEqual([
      ['2025-Q2', 800_000, 80_000, 0.8],
      ['2025-Q1', 1_200_000, 120_000, 1.2],
    ])
  })
})

it('announcement dates and surprises published by hand survive later statements', async () => {
  await file(filed('2025-Q1', { '2330': [1_000, 1] }))
  const [row] = await quarters()
  await s.publish('earnings', [{ ...row, announcement_date: '2025-05-14', eps_surprise_pct: 3.5 }])
  const company = (await s.get('/v1/financial-reports/company-earnings?symbol=2330', s.keyOn('pro'))).json().data[0]
  await s.publish('company-earnings', [{ ...company, announcement_date: '2025-05-14' }])
  await file(filed('2025-Q2', { '2330': [2_000, 2] }), filed('2025-Q1', { '2330': [1_100, 1.1] }))
  expect((await quarters()).map(row => [row['fiscal_period'], row['revenue'], row['announcement_date'], row['eps_surprise_pct']])).toEqual([
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
  expect(figures(await quarters())).toEqual([['2025-Q1', 1_000_000, 100_000, 1]])
  expect(stored(s.workspace.releases, 'earnings').manifest.sources[0]).toMatchObject({
    name: `income-statements ${stored(s.workspace.releases, 'income-statements').release}`,
    read_as: 'release',
  })
})

describe('repeated quarters', () => {
  const FIGURES = { '2330': [1_000, 1.5], '1101': [500, 0.4], '2454': [700, 9] } as const
  const MORE = { '2412': [300, 1.1], '2882': [900, 2.2], '3008': [110, 30], '6505': [820, -1] } as const
  const accept = ['same_body']
  const held = () => stored(s.workspace.releases, 'income-statements').manifest.statistics.rows

  it('a quarter that repeats another one is refused unless accepted by name', async () => {
    await file(filed('2025-Q1', FIGURES))
    const { results } = await file(filed('2024-Q1', FIGURES))
    expect(results).toMatchObject([{ outcome: 'refused', said: 'same_body' }])
    expect(results[0]!.message).toContain('3 of the 3 rows of TWSE 2024-Q1 that TWSE 2025-Q1 has too equal it figure for figure')
    expect([held(), figures(await quarters())]).toEqual([3, [['2025-Q1', 1_000_000, 100_000, 1.5]]])
    const again = await ingest(s, 'mops-eps', [filed('2024-Q1', FIGURES)], { accept })
    expect([again.results[0]!.outcome, held()]).toEqual(['published', 6])
  })

  it('a repeated quarter is refused although some companies filed late or again', async () => {
    await file(filed('2025-Q1', FIGURES))
    const later = { ...FIGURES, '2454': [701, 9.1], ...MORE } as const
    expect((await file(filed('2024-Q1', later))).results).toMatchObject([{ outcome: 'refused', said: 'same_body' }])
    expect((await file(filed('2025-Q1', later))).results).toMatchObject([{ outcome: 'published' }])
  })

  it('two equal quarters in one run are both refused, and another quarter is published', async () => {
    const { results } = await file(filed('2025-Q1', FIGURES), filed('2024-Q1', FIGURES), filed('2025-Q2', MORE))
    expect(results.map(({ file: name, outcome, said }) => [name, outcome, said]).toSorted()).toEqual([
      ['2024-Q1.csv', 'refused', 'same_body'],
      ['2025-Q1.csv', 'refused', 'same_body'],
      ['2025-Q2.csv', 'published', null],
    ])
  })

  it('a quarter is accepted when only a small number of companies repeat their figures', async () => {
    await file(filed('2025-Q1', { ...FIGURES, ...MORE }))
    const moved = { ...FIGURES, '2412': [601, 2.2], '2882': [1_801, 4.4], '3008': [221, 60], '6505': [1_641, -2] } as const
    expect((await file(filed('2025-Q2', moved))).results).toMatchObject([{ outcome: 'published' }])
    expect((await file(filed('2025-Q3', { '2330': [1_000, 1.5] }))).results).toMatchObject([{ outcome: 'published' }])
  })
})
