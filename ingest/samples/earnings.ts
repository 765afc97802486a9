import { announcedOn, type FiscalPeriod, fiscalPeriods } from './fiscal.ts'
import { random, wander } from './random.ts'
import { numberOf } from './sessions.ts'
import { COMPANIES, type Ticker } from './tickers.ts'

/** The twelve quarters and three years last announced by `until`, per company. A year is the sum of its quarters. */
export function earnings(until: string) {
  return COMPANIES.flatMap(company => {
    const known = fiscalPeriods(until)
      .map(period => report(company, period))
      .filter(({ announcement_date }) => announcement_date <= until)
    return [
      ...known.filter(({ report_type }) => report_type === 'quarterly').slice(0, 12),
      ...known.filter(({ report_type }) => report_type === 'annual').slice(0, 3),
    ]
  })
}

function report(company: Ticker, period: FiscalPeriod) {
  const quarters = period.quarters.map(quarter => figures(company, period.year, quarter))
  const sum = (take: (quarter: Figures) => number): number => quarters.reduce((total, quarter) => total + take(quarter), 0)
  const financial = company.industry === '金融保險業'
  return {
    ticker: company.code,
    fiscal_period: period.label,
    report_type: period.type,
    announcement_date: announcedOn(period, Math.floor(20 * random(`${company.code} ${period.end} announced`)())),
    revenue: sum(quarter => quarter.revenue),
    gross_profit: financial ? null : sum(quarter => quarter.gross),
    operating_income: financial ? null : sum(quarter => quarter.operating),
    net_income: sum(quarter => quarter.net),
    eps: Number(sum(quarter => quarter.eps).toFixed(2)),
    eps_surprise_pct: null,
    period_end: period.end,
  }
}

type Figures = ReturnType<typeof figures>

/** One quarter on its own, amounts in TWD down to the thousand that companies file. */
function figures({ code }: Ticker, year: number, quarter: number) {
  const own = random(`${code} company`)
  const size = 10 ** (9.6 + 1.8 * own())
  const margin = 0.15 + 0.4 * own()
  const shares = 10 ** (8.6 + 1.2 * own())
  const path = wander(`${code} business`, numberOf(`${year}-${String(quarter * 3).padStart(2, '0')}-28`))
  const revenue = thousands(size * Math.exp(path) * (1 + 0.04 * quarter))
  const gross = thousands(revenue * margin * (1 + 0.4 * path))
  const operating = thousands(gross - revenue * 0.18)
  const net = thousands(operating * 0.82)
  return { revenue, gross, operating, net, eps: Number((net / shares).toFixed(2)) }
}

const thousands = (amount: number): number => Math.round(amount / 1_000) * 1_000
