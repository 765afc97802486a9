import { quarterRevenue } from './earnings.ts'
import { random } from './random.ts'
import { dayOf, numberOf } from './sessions.ts'
import { COMPANIES, type Ticker } from './tickers.ts'

const MONTHS = 36

/**
 * Generates reports of three years, newest month first. The months add up to the quarters of the
 * earnings sample.
 */
export function monthlyRevenue(until: string) {
  const newest = numberOf(until) - 10
  const last = dayOf(newest).slice(0, 7)
  const [year, month] = last.split('-').map(Number) as [number, number]
  return COMPANIES.flatMap(company => {
    const months = revenues(company)
    return Array.from({ length: MONTHS }, (_, ago) => row(company, months, 12 * year + month - 2 - ago))
  })
}

/** Months are counted from January of year 0. */
function revenues(company: Ticker): (number: number) => number {
  const revenueByMonth = new Map<number, number>()
  return number => {
    if (!revenueByMonth.has(number))
      for (const [index, revenue] of quarterOf(company, number).entries()) revenueByMonth.set(number - (number % 3) + index, revenue)
    return revenueByMonth.get(number)!
  }
}

/** Splits a quarter into three months of whole thousands. The last month gets the remainder. */
function quarterOf(company: Ticker, number: number): readonly number[] {
  const [year, quarter] = [Math.floor(number / 12), Math.floor((number % 12) / 3) + 1]
  const whole = quarterRevenue(company, year, quarter)
  const next = random(`${company.code} ${year}-Q${quarter} months`)
  const part = (): number => Math.round((whole * (0.29 + 0.08 * next())) / 1_000) * 1_000
  const [first, second] = [part(), part()]
  return [first, second, whole - first - second]
}

function row({ code, market, name, industry }: Ticker, revenue: (number: number) => number, number: number) {
  const [year, month] = [Math.floor(number / 12), (number % 12) + 1]
  const soFar = (before: number): number =>
    Array.from({ length: month }, (_, ago) => revenue(number - before - ago)).reduce((a, b) => a + b)
  const [now, lastMonth, lastYear, total, totalBefore] = [revenue(number), revenue(number - 1), revenue(number - 12), soFar(0), soFar(12)]
  const end = new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10)
  return {
    ticker: code,
    market,
    month: end.slice(0, 7),
    period_end: end,
    name,
    industry,
    revenue: now,
    last_month_revenue: lastMonth,
    last_year_revenue: lastYear,
    cumulative_revenue: total,
    last_year_cumulative_revenue: totalBefore,
    printed_mom_pct: cutOff(now, lastMonth),
    printed_yoy_pct: cutOff(now, lastYear),
    printed_cumulative_yoy_pct: cutOff(total, totalBefore),
    remark: null,
    report_date: dayOf(numberOf(end) + 10),
  }
}

/** Returns the growth in percent, truncated after two decimals as on the exchange's page. */
const cutOff = (now: number, before: number): number => Math.trunc((10_000 * (now - before)) / before) / 100
