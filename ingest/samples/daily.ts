import { companyOf } from './companies.ts'
import { earnings } from './earnings.ts'
import { dividendsByTicker } from './events.ts'
import { closes, volumes } from './prices.ts'
import { pathOf, random } from './random.ts'
import { type Session, sessions } from './sessions.ts'
import { COMPANIES, TICKERS, type Ticker } from './tickers.ts'

/** The newest 125 sessions, about half a year. */
const recent = (until: string): readonly Session[] => sessions(until).slice(-125)

const issuedOf = ({ code }: Ticker): number => companyOf(code)?.shares ?? 2_000_000_000

const lots = (shares: number): number => Math.round(shares / 1_000) * 1_000

/**
 * Returns increase, decrease and repayment of a balance in one session.
 *
 * @param share mean balance as a share of the issued shares
 */
function flows(ticker: Ticker, kind: string, share: number, { day, number }: Session) {
  const path = pathOf(`${ticker.code} ${kind}`)
  const balanceOn = (at: number): number => lots(issuedOf(ticker) * share * Math.exp(1.5 * path(at)))
  const [before, balance] = [balanceOn(number - 1), balanceOn(number)]
  const next = random(`${ticker.code} ${day} ${kind}`)
  const turned = lots(before * 0.03 * next())
  const back = next() < 0.4 ? Math.min(turned, 5_000) : 0
  const change = balance - before
  return { before, balance, into: turned + Math.max(change, 0), out: turned + Math.max(-change, 0) - back, back }
}

export function marginTrading(until: string) {
  return TICKERS.flatMap(ticker =>
    recent(until).map(session => {
      const [margin, short] = [flows(ticker, 'margin', 0.012, session), flows(ticker, 'short', 0.0006, session)]
      const limit = Math.floor(issuedOf(ticker) / 4_000) * 1_000
      const tpex = ticker.market === 'TPEX'
      const used = (balance: number): number => Math.floor((balance / limit) * 10_000) / 100
      return {
        ...whoAndWhen(ticker, session),
        margin_previous_balance: margin.before,
        margin_buy: margin.into,
        margin_sell: margin.out,
        margin_cash_repayment: margin.back,
        margin_balance: margin.balance,
        margin_limit: limit,
        short_previous_balance: short.before,
        short_sell: short.into,
        short_buy: short.out,
        short_stock_repayment: short.back,
        short_balance: short.balance,
        short_limit: limit,
        offset_volume: lots(Math.min(margin.into, short.into) * 0.5),
        margin_finance_balance: tpex ? lots(margin.balance * 0.03) : null,
        margin_utilization: tpex ? used(margin.balance) : null,
        short_finance_balance: tpex ? 0 : null,
        short_utilization: tpex ? used(short.balance) : null,
        remark: null,
      }
    }),
  )
}

/** Generates sales of borrowed shares that match the margin sample. */
export function securitiesLending(until: string) {
  const days = recent(until)
  return TICKERS.flatMap(ticker => {
    const traded = volumes(ticker, days)
    return days.map((session, place) => {
      const [lent, short] = [flows(ticker, 'lending', 0.008, session), flows(ticker, 'short', 0.0006, session)]
      return {
        ...whoAndWhen(ticker, session),
        previous_balance: lent.before,
        sold: lent.into,
        returned: lent.out,
        adjusted: -lent.back,
        balance: lent.balance,
        next_day_limit: Math.round(traded[place]! * 0.3),
        margin_short_previous_balance: short.before,
        margin_short_sold: short.into,
        margin_short_bought: short.out,
        margin_short_returned: short.back,
        margin_short_balance: short.balance,
        margin_short_limit: Math.floor(issuedOf(ticker) / 4),
        remark: null,
      }
    })
  })
}

/**
 * Generates ratios from the sample's close, the earnings of the last four announced quarters, and
 * the latest dividend.
 */
export function valuation(until: string) {
  const [days, reports, dividends] = [recent(until), earningsByTicker(until), dividendsByTicker(until)]
  return COMPANIES.flatMap(ticker => {
    const prices = closes(ticker, days)
    const [quarters, paid] = [reports.get(ticker.code) ?? [], dividends.get(ticker.code) ?? []]
    const book = (companyOf(ticker.code)?.price ?? 0) / (0.8 + 4 * random(`${ticker.code} valuation`)())
    const ratio = (value: number): number => Number(value.toFixed(2))
    return days.map((session, place) => {
      const { close } = prices[place]!
      const tpex = ticker.market === 'TPEX'
      const announced = quarters.filter(({ announcement_date }) => announcement_date <= session.day).slice(0, 4)
      const earned = announced.reduce((sum, { eps }) => sum + eps, 0)
      const dividend = paid.findLast(({ exDate }) => exDate <= session.day)
      return {
        ...whoAndWhen(ticker, session),
        pe_ratio: announced.length === 4 && earned > 0 ? ratio(close / earned) : null,
        pb_ratio: ratio(close / book),
        dividend_yield: ratio(((dividend?.cash ?? 0) / close) * 100),
        dividend_per_share: tpex ? (dividend?.cash ?? 0) : null,
        dividend_year: dividend === undefined ? null : Number(dividend.exDate.slice(0, 4)) - 1,
        fiscal_period: tpex ? null : (announced[0]?.fiscal_period ?? null),
      }
    })
  })
}

const earningsByTicker = (until: string) =>
  Map.groupBy(
    earnings(until).filter(({ report_type }) => report_type === 'quarterly'),
    ({ ticker }) => ticker,
  )

export function foreignHolding(until: string) {
  return TICKERS.flatMap(ticker => {
    const [path, issued] = [pathOf(`${ticker.code} foreign holding`), issuedOf(ticker)]
    const usual = 0.1 + 0.5 * random(`${ticker.code} foreign holding`)()
    return recent(until).map(session => {
      const shares = Math.round(issued * usual * Math.exp(0.3 * path(session.number)))
      const percent = (shares: number): number => Math.floor((shares * 10_000) / issued) / 100
      return {
        ...whoAndWhen(ticker, session),
        isin: null,
        issued_shares: issued,
        available_shares: issued - shares,
        held_shares: shares,
        available_pct: percent(issued - shares),
        held_pct: percent(shares),
        foreign_limit_pct: 100,
        mainland_limit_pct: 29.99,
        change_reason: null,
        reported_on: null,
      }
    })
  })
}

const whoAndWhen = ({ code, market, name }: Ticker, { day }: Session) => ({ ticker: code, market, trade_date: day, name })
