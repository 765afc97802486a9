import { dividendPlan, REDUCING, REDUCTION_RATIO, reductionDay } from './payouts.ts'
import { closes, onTick } from './prices.ts'
import { type Session, sessions } from './sessions.ts'
import { COMPANIES, TICKERS, type Ticker } from './tickers.ts'

interface Event {
  readonly ticker: Ticker
  readonly session: Session
  readonly before: number
}

/** Returns one ex-day per security and year, between mid-June and the end of August. */
function exDays(until: string): readonly (Event & { readonly cash: number })[] {
  return COMPANIES.flatMap(ticker =>
    yearsOf(until).flatMap(year => {
      const { day, share } = dividendPlan(ticker.code, year)
      const event = eventOn(ticker, sessionFrom(until, day))
      const cash = event === undefined ? 0 : Number((event.before * share).toFixed(2))
      return event === undefined || cash === 0 ? [] : [{ ...event, cash }]
    }),
  )
}

const yearsOf = (until: string): readonly number[] => [3, 2, 1, 0].map(ago => Number(until.slice(0, 4)) - ago)

/** Returns the first session on or after a day. Undefined if there is none within three weeks. */
function sessionFrom(until: string, day: string): Session | undefined {
  const session = sessions(until).find(each => each.day >= day)
  return session !== undefined && Date.parse(session.day) - Date.parse(day) < 21 * 86_400_000 ? session : undefined
}

function eventOn(ticker: Ticker, session: Session | undefined): Event | undefined {
  return session && { ticker, session, before: closes(ticker, [session])[0]!.before }
}

const limits = (ticker: Ticker, reference: number) => ({
  limit_up: onTick(ticker, reference * 1.0999),
  limit_down: onTick(ticker, reference * 0.9001),
  opening_reference: onTick(ticker, reference),
})

const cents = (price: number): number => Number(price.toFixed(2))

export function exRights(until: string) {
  return exDays(until).map(({ ticker, session, before, cash }) => {
    const reference = cents(before - cash)
    return {
      ticker: ticker.code,
      market: ticker.market,
      ex_date: session.day,
      name: ticker.name,
      kind: 'dividend',
      close_before: before,
      reference_price: reference,
      value: cash,
      rights_value: 0,
      dividend_value: cash,
      ...limits(ticker, reference),
      price_less_dividend: reference,
    }
  })
}

export interface Dividend {
  readonly exDate: string
  /** In TWD per share. */
  readonly cash: number
}

export const dividendsByTicker = (until: string): ReadonlyMap<string, readonly Dividend[]> =>
  Map.groupBy(
    exDays(until).map(({ ticker, session, cash }) => ({ ticker: ticker.code, exDate: session.day, cash })),
    ({ ticker }) => ticker,
  )

export function exRightsDetails(until: string) {
  const none = { bonus: 0, offering: 0, offer_price: 0, public_part: 0, employee_part: 0, holder_part: 0, entitlement: 0 }
  return exDays(until).map(({ ticker, session, cash }) => ({
    ticker: ticker.code,
    market: ticker.market,
    ex_date: session.day,
    cash,
    ...none,
  }))
}

/** Generates capital reductions. The reference price is computed from the previous close. */
export function capitalChanges(until: string) {
  const events = TICKERS.filter(({ code }) => REDUCING.includes(code)).flatMap(ticker =>
    yearsOf(until).flatMap(year => eventOn(ticker, sessionFrom(until, reductionDay(year))) ?? []),
  )
  return events.map(({ ticker, session, before }) => {
    const reference = cents(before / REDUCTION_RATIO)
    return {
      ticker: ticker.code,
      market: ticker.market,
      resume_date: session.day,
      name: ticker.name,
      change_type: 'capital_reduction',
      reason: '彌補虧損（合成資料）',
      close_before: before,
      reference_price: reference,
      ...limits(ticker, reference),
      price_less_rights: null,
      exchange_ratio: REDUCTION_RATIO,
      refund_per_share: 0,
      par_before: null,
      par_after: null,
      halted_on: null,
    }
  })
}
