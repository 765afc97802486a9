import { describe, expect, it } from 'vitest'
import { loadCatalog } from '../../../catalog/index.ts'
import { isTradingDay } from '../../../ingest/calendar/index.ts'
import { SAMPLES, sampleDays } from '../../../ingest/samples/index.ts'

const UNTIL = '2026-11-20'
const rowsOf = (slug: string, until = UNTIL) => SAMPLES[slug]!(until) as readonly Readonly<Record<string, unknown>>[]
interface Quote {
  readonly ticker: string
  readonly trade_date: string
  readonly open: number
  readonly close: number
  readonly low: number
  readonly high: number
  readonly turnover: number
}
const quotes = rowsOf('daily-prices') as unknown as readonly Quote[]
const byTicker = Map.groupBy(quotes, ({ ticker }) => ticker)

/** Correlation of two series of the same length. */
function correlation(xs: readonly number[], ys: readonly number[]): number {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
  const [mx, my] = [mean(xs), mean(ys)]
  const cross = mean(xs.map((x, at) => (x - mx) * (ys[at]! - my)))
  return cross / Math.sqrt(mean(xs.map(x => (x - mx) ** 2)) * mean(ys.map(y => (y - my) ** 2)))
}
const moves = (closes: readonly number[]): readonly number[] => closes.slice(1).map((close, at) => Math.log(close / closes[at]!))

describe('sample days', () => {
  it.each([
    ['daily-prices', 'trade_date'],
    ['institutional-positioning', 'trade_date'],
    ['market-indices', 'trade_date'],
    ['bond-yield-curve', 'trade_date'],
    ['company-risk-events', 'event_date'],
    ['company-earnings', 'announcement_date'],
  ])('sample rows of %s are on trading days', (slug, column) => {
    const days = new Set(rowsOf(slug).map(row => String(row[column])))
    expect([...days].filter(day => !isTradingDay(day))).toEqual([])
    expect(days.size).toBeGreaterThan(20)
  })

  it('sample prices cover every trading day of 2024', () => {
    const days = byTicker.get('2330')!.map(({ trade_date }) => trade_date)
    expect(days).toContain('2024-12-31')
    expect(days.filter(day => day.startsWith('2024'))).toHaveLength(242)
  })

  it('two sets of samples with different end days have the same rows on the days that both contain', () => {
    const key = (row: Readonly<Record<string, unknown>>): string => `${row['ticker']} ${row['trade_date']} ${row['fiscal_period']}`
    for (const slug of ['daily-prices', 'earnings']) {
      const later = new Map(rowsOf(slug, '2026-12-01').map(row => [key(row), row]))
      const both = rowsOf(slug).filter(row => later.has(key(row)))
      expect(both.length).toBeGreaterThan(300)
      for (const row of both) expect(later.get(key(row))).toEqual(row)
    }
  })
})

describe('sample prices', () => {
  it('sample prices move within the daily limit and lie between low and high', () => {
    for (const own of byTicker.values()) {
      const closes = own.map(({ close }) => close)
      expect(Math.max(...moves(closes).map(Math.abs))).toBeLessThan(Math.log(1.1))
      expect(own.filter(({ open, close, low, high }) => low > Math.min(open, close) || high < Math.max(open, close))).toEqual([])
    }
  })

  it('sample prices fall on ex-days by the dividend, so that adjusted prices have no gaps', () => {
    const closes = new Map(quotes.map(({ ticker, trade_date, close }) => [`${ticker} ${trade_date}`, close]))
    const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
    for (const [slug, day] of [
      ['ex-rights', 'ex_date'],
      ['capital-changes', 'resume_date'],
    ] as const) {
      const events = rowsOf(slug).filter(row => closes.has(`${row['ticker']} ${row[day]}`))
      const change = (base: string) => mean(events.map(row => Math.log(closes.get(`${row['ticker']} ${row[day]}`)! / Number(row[base]))))
      expect(Math.abs(change('close_before')), slug).toBeGreaterThan(0.02)
      expect(Math.abs(change('reference_price')), slug).toBeLessThan(0.01)
      const opens = new Map(quotes.map(({ ticker, trade_date, open }) => [`${ticker} ${trade_date}`, open]))
      const opened = events.map(row => Math.log(opens.get(`${row['ticker']} ${row[day]}`)! / Number(row['reference_price'])))
      expect(Math.abs(mean(opened)), slug).toBeLessThan(0.01)
    }
  })

  it.each([
    ['2330', 500, 4_000],
    ['2412', 80, 220],
    ['2002', 12, 35],
    ['3008', 1_200, 5_000],
    ['0050', 35, 120],
  ])('sample prices of %s lie between %i and %i TWD', (ticker, least, most) => {
    const closes = byTicker.get(ticker)!.map(({ close }) => close)
    expect([Math.min(...closes) > least, Math.max(...closes) < most]).toEqual([true, true])
  })

  it('sample indices correlate with each other and with stocks', () => {
    const indices = [...Map.groupBy(rowsOf('market-indices'), ({ index_code }) => String(index_code)).values()]
    const series = indices.map(rows => moves(rows.map(({ value }) => Number(value))))
    for (const [index, first] of series.entries())
      for (const other of series.slice(index + 1)) expect(correlation(first, other)).toBeGreaterThan(0.6)
    for (const ticker of ['2330', '2881', '2603', '0050']) {
      const own = moves(byTicker.get(ticker)!.map(({ close }) => close))
      expect(correlation(own, series[0]!), ticker).toBeGreaterThan(0.3)
    }
    expect(correlation(moves(byTicker.get('00632R')!.map(({ close }) => close)), series[0]!)).toBeLessThan(-0.8)
  })

  it('sample turnover of a day stays below that of the real market', () => {
    const days = Map.groupBy(quotes, ({ trade_date }) => trade_date)
    const most = Math.max(...[...days.values()].map(rows => rows.reduce((sum, { turnover }) => sum + turnover, 0)))
    expect(most).toBeLessThan(1.5e12)
  })
})

describe('sample statements', () => {
  interface Report {
    readonly ticker: string
    readonly report_type: string
    readonly revenue: number
    readonly gross_profit: number | null
    readonly operating_income: number | null
    readonly net_income: number
    readonly eps: number
  }
  const quarterly = (rowsOf('earnings') as unknown as readonly Report[]).filter(({ report_type }) => report_type === 'quarterly')
  const reportsOf = (ticker: string) => quarterly.filter(report => report.ticker === ticker)

  it.each([
    ['2330', 500, 1_500, 8, 30],
    ['2317', 1_000, 3_000, 1, 6],
    ['2454', 80, 250, 8, 30],
    ['2412', 45, 75, 0.8, 2],
    ['2002', 50, 150, -1, 1],
    ['8044', 5, 15, -3, 2],
  ])('sample statements of %s have %i to %i billion TWD of revenue and an EPS of %f to %f', (ticker, least, most, low, high) => {
    expect(reportsOf(ticker)).toHaveLength(12)
    for (const { revenue, eps } of reportsOf(ticker)) {
      expect(revenue).toBeGreaterThan(least * 1e9)
      expect(revenue).toBeLessThan(most * 1e9)
      expect(eps).toBeGreaterThan(low)
      expect(eps).toBeLessThan(high)
    }
  })

  it('sample statements have gross above operating profit and the margins of their industry', () => {
    const manufacturing = quarterly.filter(({ gross_profit }) => gross_profit !== null)
    expect(
      manufacturing.filter(
        ({ revenue, gross_profit, operating_income }) => !(revenue > gross_profit! && gross_profit! > operating_income!),
      ),
    ).toEqual([])
    const gross = (ticker: string): number => Math.max(...reportsOf(ticker).map(({ revenue, gross_profit }) => gross_profit! / revenue))
    expect(gross('2317')).toBeLessThan(0.1)
    expect(gross('2330')).toBeGreaterThan(0.5)
    expect(reportsOf('2881').every(({ gross_profit, operating_income }) => gross_profit === null && operating_income === null)).toBe(true)
  })

  it('sample cash flows of a quarter add up, and start with the cash at the end of the year before', () => {
    const statements = rowsOf('cash-flow') as readonly Readonly<Record<string, number | string>>[]
    const endings = new Map(statements.map(row => [`${row['ticker']} ${row['period_end']}`, row['ending_cash']]))
    expect(statements).toHaveLength(quarterly.length)
    let compared = 0
    for (const row of statements) {
      const number = (column: string): number => Number(row[column])
      const flows = ['operating_cash_flow', 'investing_cash_flow', 'financing_cash_flow', 'exchange_rate_effect'].map(number)
      expect(flows.reduce((sum, flow) => sum + flow)).toBe(row['net_change_in_cash'])
      expect(number('beginning_cash') + number('net_change_in_cash')).toBe(row['ending_cash'])
      const before = endings.get(`${row['ticker']} ${Number(String(row['period_end']).slice(0, 4)) - 1}-12-31`)
      if (before === undefined) continue
      compared++
      expect(row['beginning_cash']).toBe(before)
    }
    expect(compared).toBeGreaterThan(100)
  })

  it('sample segments add up to the revenue', () => {
    const total = reportsOf('2330').reduce((sum, { revenue }) => sum + revenue, 0)
    const parts = rowsOf('all-segments').filter(({ ticker, fiscal_period }) => ticker === '2330' && String(fiscal_period).includes('Q'))
    expect(parts.reduce((sum, { revenue }) => sum + Number(revenue), 0)).toBe(total)
  })
})

describe('sample flags', () => {
  const BLUE_CHIPS = ['2330', '2317', '2454', '2412', '2881', '2882', '2303', '2308', '2603', '1301', '2002', '2912', '3008']
  const flags = rowsOf('company-risk-events')

  it('sample risk flags name no blue chip', () => {
    expect(flags.filter(({ symbol }) => BLUE_CHIPS.includes(String(symbol)))).toEqual([])
    expect(new Set(flags.map(({ risk_type }) => String(risk_type)))).toEqual(new Set(['attention', 'disposition', 'suspension']))
  })

  it('sample dispositions follow three trading days of attention', () => {
    const days = byTicker.get('2330')!.map(({ trade_date }) => trade_date)
    const attention = new Set(
      flags.filter(({ risk_type }) => risk_type === 'attention').map(flag => `${flag['symbol']} ${flag['event_date']}`),
    )
    const disposed = flags.filter(({ risk_type, event_date }) => risk_type === 'disposition' && String(event_date) > days[3]!)
    expect(disposed.length).toBeGreaterThan(5)
    for (const { symbol, event_date } of disposed) {
      const index = days.indexOf(String(event_date))
      for (const day of days.slice(index - 3, index)) expect(attention).toContain(`${symbol} ${day}`)
    }
  })
})

describe('sample valuations', () => {
  const rows = rowsOf('valuation')
  const closeOn = new Map(quotes.map(({ ticker, trade_date, close }) => [`${ticker} ${trade_date}`, close]))
  const closeOf = ({ ticker, trade_date: day }: Readonly<Record<string, unknown>>) => closeOn.get(`${ticker} ${day}`)!

  it('sample P/E ratios are closes over the last four announced quarters, and null for a loss', () => {
    const reports = rowsOf('earnings').filter(({ report_type: type }) => type === 'quarterly')
    const byTicker = Map.groupBy(reports, ({ ticker }) => ticker)
    for (const row of rows) {
      const announced = byTicker.get(row['ticker'])!.filter(({ announcement_date: day }) => String(day) <= String(row['trade_date']))
      const earned = announced.slice(0, 4).reduce((sum, { eps }) => sum + Number(eps), 0)
      expect(row['pe_ratio']).toBe(earned > 0 ? Number((closeOf(row) / earned).toFixed(2)) : null)
      if (row['market'] === 'TWSE') expect(row['fiscal_period']).toBe(announced[0]!['fiscal_period'])
    }
    expect(rows.some(({ pe_ratio: ratio }) => ratio === null)).toBe(true)
  })

  it('sample dividend yields follow the last ex-day', () => {
    const paid = Map.groupBy(rowsOf('ex-rights'), ({ ticker }) => ticker)
    for (const row of rows) {
      const last = paid.get(row['ticker'])!.findLast(({ ex_date: day }) => String(day) <= String(row['trade_date']))!
      expect(row['dividend_yield']).toBe(Number(((Number(last['dividend_value']) / closeOf(row)) * 100).toFixed(2)))
      expect(row['dividend_year']).toBe(Number(String(last['ex_date']).slice(0, 4)) - 1)
    }
  })
})

it("sample days end with the last day on which each dataset's rows are due", async () => {
  const until = sampleDays(await loadCatalog(), new Date('2026-07-01T15:59:00+08:00'))
  expect(['daily-prices', 'securities-lending', 'securities'].map(until)).toEqual(['2026-06-30', '2026-06-30', '2026-06-30'])
  const later = sampleDays(await loadCatalog(), new Date('2026-07-01T16:00:00+08:00'))
  expect(['daily-prices', 'securities-lending', 'securities'].map(later)).toEqual(['2026-07-01', '2026-06-30', '2026-06-30'])
  expect(sampleDays(await loadCatalog(), new Date('2026-07-05T12:00:00+08:00'))('securities')).toBe('2026-07-03')
})

it('every sample broker has branches under its code, and a larger broker has more branches', () => {
  const branches = rowsOf('broker-branch-reference')
  const firms = rowsOf('securities-firm-master')
  const count = (id: string): number => branches.filter(({ branch_code }) => String(branch_code).startsWith(id.slice(0, 3))).length
  for (const { broker_id } of firms) expect(count(String(broker_id))).toBeGreaterThanOrEqual(5)
  expect(count('9800')).toBeGreaterThan(count('1260'))
  expect(new Set(branches.map(({ branch_code }) => String(branch_code))).size).toBe(branches.length)
})
