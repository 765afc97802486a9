import { expect, it } from 'vitest'
import { conditionsIn, type Screened, screenedBy, screenSql } from '../../portal/pages/screener/screen.ts'

const VALUATION: Screened = { slug: 'valuation', date: 'trade_date', knownAt: null, window: 14 }
const REVENUE: Screened = { slug: 'monthly-revenue', date: 'period_end', knownAt: 'announced_by', window: 75 }
const DAY = '2026-06-30'
const sqlOf = (where: string, order = '') => screenSql(DAY, conditionsIn(where), [VALUATION, REVENUE], order, 10)

it('a screen reads the newest row of each security in the two weeks up to the day of the screen', () => {
  const sql = sqlOf('valuation.pe_ratio:..15')
  expect(sql).toContain(`FROM valuation\n  WHERE trade_date >= '2026-06-16' AND trade_date <= '2026-06-30'`)
  expect(sql).toContain('QUALIFY row_number() OVER (PARTITION BY ticker ORDER BY trade_date DESC) = 1')
  expect(sql).toContain('WHERE valuation_pe_ratio <= 15')
})

it('a screen leaves out rows that were announced after the day of the screen', () => {
  expect(sqlOf('monthly-revenue.yoy_pct:20..')).toContain(`AND announced_by <= '2026-06-30'`)
})

it('a screen over two datasets joins them by security', () => {
  const sql = sqlOf('valuation.pe_ratio:0..<15,monthly-revenue.yoy_pct:20..')
  expect(sql).toContain('FROM valuation_newest\nJOIN monthly_revenue_newest USING (ticker)')
  expect(sql).toContain('valuation_pe_ratio >= 0 AND valuation_pe_ratio < 15 AND monthly_revenue_yoy_pct >= 20')
})

it('a screen returns the day of the rows that it uses from each dataset', () => {
  const sql = sqlOf('valuation.pe_ratio:..15,monthly-revenue.yoy_pct:20..')
  expect(sql).toContain('period_end AS monthly_revenue_day')
  expect(sql).toContain(
    'SELECT ticker, s.name, s.industry, valuation_pe_ratio, monthly_revenue_yoy_pct, valuation_day, monthly_revenue_day',
  )
})

it('a screen is sorted by a column of its answer, and ignores any other sort column', () => {
  expect(sqlOf('valuation.pe_ratio:..15', '-valuation_pe_ratio')).toContain('ORDER BY valuation_pe_ratio DESC NULLS LAST, ticker')
  expect(sqlOf('valuation.pe_ratio:..15', '1; DROP TABLE x')).toContain('ORDER BY valuation_pe_ratio, ticker')
})

it('conditions that contain anything but identifiers and numbers are left out of the query', () => {
  for (const where of ['valuation.pe_ratio) --:1..', 'valuation.pe_ratio:1 OR 1=1..', 'unknown.pe_ratio:1..', ''])
    expect.soft(sqlOf(where), where).toBeNull()
})

it('a screen offers conditions only for datasets with one row per security and day', () => {
  const catalog = (grain: readonly string[], cadence = 'trading_day') =>
    screenedBy({ slug: 'x', grain, cadence } as unknown as Parameters<typeof screenedBy>[0])
  expect(catalog(['ticker', 'trade_date'])).toMatchObject({ date: 'trade_date', window: 14 })
  for (const grain of [['ticker'], ['ticker', 'fiscal_period'], ['ticker', 'week_date', 'level'], ['index_code', 'trade_date']])
    expect.soft(catalog(grain), grain.join()).toBeUndefined()
  expect(catalog(['ticker', 'ex_date'], 'on_change')).toBeUndefined()
})
