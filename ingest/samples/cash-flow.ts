import { companyOf } from './companies.ts'
import { earnings, quarterNetIncome, quarterRevenue, thousands } from './earnings.ts'
import { wander } from './random.ts'
import { numberOf } from './sessions.ts'
import { COMPANIES, type Ticker } from './tickers.ts'

const companies = new Map(COMPANIES.map(company => [company.code, company]))

/** Generates year-to-date statements for the quarters of the earnings sample. */
export const cashFlow = (until: string) =>
  earnings(until)
    .filter(({ report_type }) => report_type === 'quarterly')
    .map(({ ticker, period_end }) => statement(companies.get(ticker)!, period_end))

/**
 * Generates a statement. A year starts with the cash at the end of the previous one. The financing
 * cash flow is the remainder, so that the flows add up.
 */
function statement(company: Ticker, end: string) {
  const { code } = company
  const year = Number(end.slice(0, 4))
  const quarters = [1, 2, 3, 4].slice(0, Number(end.slice(5, 7)) / 3)
  const sum = (take: typeof quarterRevenue): number => quarters.reduce((total, quarter) => total + take(company, year, quarter), 0)
  const [revenue, beginning, ending] = [sum(quarterRevenue), cashOn(code, `${year - 1}-12-31`), cashOn(code, end)]
  const depreciation = thousands(0.08 * revenue)
  const amortization = thousands(0.004 * revenue)
  const capital = -thousands(0.1 * revenue * (1 + 0.5 * wander(`${code} investment`, numberOf(end))))
  const operating = sum(quarterNetIncome) + depreciation + amortization
  const investing = capital - thousands(0.01 * revenue)
  const rates = thousands(0.01 * beginning * wander(`${code} currencies`, numberOf(end)))
  const change = ending - beginning
  return {
    ticker: code,
    period_end: end,
    basis: 'consolidated',
    operating_cash_flow: operating,
    investing_cash_flow: investing,
    financing_cash_flow: change - operating - investing - rates,
    exchange_rate_effect: rates,
    net_change_in_cash: change,
    beginning_cash: beginning,
    ending_cash: ending,
    balance_sheet_cash: ending,
    other_cash_equivalents: null,
    depreciation,
    amortization,
    capital_expenditure: capital,
  }
}

/** Returns the cash at the end of a day, about one quarter's revenue. */
const cashOn = (code: string, day: string): number => thousands(companyOf(code)!.revenue * Math.exp(wander(`${code} cash`, numberOf(day))))
