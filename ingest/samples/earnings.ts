import { companyOf, swingOf } from './companies.ts'
import { random, wander } from './random.ts'
import { dayOf, lastSession, numberOf } from './sessions.ts'
import { COMPANIES, type Ticker } from './tickers.ts'

export interface FiscalPeriod {
  readonly label: string
  readonly type: 'quarterly' | 'annual'
  readonly year: number
  readonly quarters: readonly number[]
  readonly end: string
}

const ENDS = ['03-31', '06-30', '09-30', '12-31'] as const

/** Returns the periods of five years, newest first. Includes periods that have not ended. */
export function fiscalPeriods(until: string): readonly FiscalPeriod[] {
  const newest = Number(until.slice(0, 4))
  return [0, 1, 2, 3, 4].flatMap(ago => {
    const year = newest - ago
    return [annual(year), ...[4, 3, 2, 1].map(quarter => quarterly(year, quarter))]
  })
}

const annual = (year: number): FiscalPeriod => ({
  label: String(year),
  type: 'annual',
  year,
  quarters: [1, 2, 3, 4],
  end: `${year}-12-31`,
})

const quarterly = (year: number, quarter: number): FiscalPeriod => ({
  label: `${year}-Q${quarter}`,
  type: 'quarterly',
  year,
  quarters: [quarter],
  end: `${year}-${ENDS[quarter - 1]}`,
})

/**
 * Returns the last trading day that is at least `early` days before the legal deadline. The
 * deadline is later for the last period of a year.
 */
export const announcedOn = ({ end }: FiscalPeriod, early: number): string =>
  lastSession(dayOf(numberOf(end) + (end.endsWith('12-31') ? 75 : 44) - early))

/**
 * Generates the last twelve quarters and three years that each company announced by `until`. A
 * year is the sum of its quarters.
 */
export function earnings(until: string) {
  return COMPANIES.flatMap(company => {
    const periods = fiscalPeriods(until)
      .map(period => report(company, period))
      .filter(({ announcement_date }) => announcement_date <= until)
    return [
      ...periods.filter(({ report_type }) => report_type === 'quarterly').slice(0, 12),
      ...periods.filter(({ report_type }) => report_type === 'annual').slice(0, 3),
    ]
  })
}

function report(company: Ticker, period: FiscalPeriod) {
  const quarters = period.quarters.map(quarter => figures(company, period.year, quarter))
  const sum = (take: (quarter: Figures) => number): number => quarters.reduce((total, quarter) => total + take(quarter), 0)
  const financial = companyOf(company.code)!.gross === null
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

/** In TWD. */
export const quarterRevenue = (company: Ticker, year: number, quarter: number): number => figures(company, year, quarter).revenue

export const quarterNetIncome = (company: Ticker, year: number, quarter: number): number => figures(company, year, quarter).net

type Figures = ReturnType<typeof figures>

/** Share of a margin change that remains after tax. */
const AFTER_TAX = 0.8

/** Returns amounts in TWD, rounded to thousands. */
function figures({ code, industry }: Ticker, year: number, quarter: number) {
  const company = companyOf(code)!
  const day = numberOf(`${year}-${String(quarter * 3).padStart(2, '0')}-28`)
  const times = 0.5 * wander(`${industry} business`, day) + 0.5 * wander(`${code} business`, day)
  const revenue = thousands(company.revenue * Math.exp(swingOf(industry) * times) * (1 + 0.02 * (quarter - 2.5)))
  const usual = { gross: company.gross ?? 0, operating: company.operating ?? 0 }
  const better = 0.3 * times * Math.min(usual.gross, 1 - usual.gross)
  const gross = thousands(revenue * (usual.gross + better))
  const operating = thousands(revenue * (usual.operating + better))
  const net = thousands(revenue * (company.net + (company.gross === null ? 0.3 * times * company.net : AFTER_TAX * better)))
  return { revenue, gross, operating, net, eps: Number((net / company.shares).toFixed(2)) }
}

export const thousands = (amount: number): number => Math.round(amount / 1_000) * 1_000

export const companyEarnings = (until: string) =>
  earnings(until).map(({ ticker, fiscal_period, revenue, eps, net_income, period_end, announcement_date }) => ({
    ticker,
    fiscal_period,
    revenue,
    eps,
    net_income,
    currency: 'TWD',
    period_end,
    announcement_date,
  }))

/** Fictitious segments of a few companies, by ticker. */
const SEGMENTS: Readonly<Record<string, readonly string[]>> = {
  '1216': ['食品', '流通', '其他'],
  '1301': ['塑膠', '化學'],
  '2002': ['鋼鐵', '其他'],
  '2207': ['汽車銷售', '租賃'],
  '2303': ['晶圓代工', '其他'],
  '2308': ['電源', '自動化', '基礎設施'],
  '2317': ['消費電子', '雲端網路', '電腦終端'],
  '2330': ['晶圓', '其他'],
  '2357': ['品牌', '其他'],
  '2382': ['伺服器', '筆記型電腦', '其他'],
  '2412': ['行動', '固網', '企業客戶'],
  '2454': ['行動裝置', '智慧終端'],
  '2603': ['貨櫃運輸', '碼頭'],
  '2912': ['便利商店', '零售', '物流'],
  '3711': ['封裝', '測試', '電子代工'],
  '6488': ['矽晶圓', '其他'],
}

/** Splits each period over the company's segments. The last segment gets the remainder. */
export function segments(until: string) {
  return earnings(until).flatMap(({ ticker, fiscal_period, revenue, net_income, period_end, announcement_date }) => {
    const names = SEGMENTS[ticker] ?? []
    const revenues = split(revenue, names.length, `${ticker} ${fiscal_period} revenue`)
    const incomes = split(net_income, names.length, `${ticker} ${fiscal_period} income`)
    return names.map((segment, place) => ({
      ticker,
      fiscal_period,
      segment,
      revenue: revenues[place]!,
      net_income: incomes[place]!,
      period_end,
      announcement_date,
    }))
  })
}

function split(total: number, parts: number, seed: string): readonly number[] {
  const next = random(seed)
  let remainder = total
  return Array.from({ length: parts }, (_, place) => {
    const part = place === parts - 1 ? remainder : Math.round((remainder * (0.55 + 0.2 * next())) / 1_000) * 1_000
    remainder -= part
    return part
  })
}
