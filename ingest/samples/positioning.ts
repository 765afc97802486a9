import { quotes } from './quotes.ts'
import { random, wander } from './random.ts'
import { numberOf } from './sessions.ts'

/**
 * The three legs of institutional buying per ticker and day, by ticker and then day.
 *
 * Together they stay well below the day's volume. The foreign leg keeps its sign for days at a time, so streaks appear.
 */
export function positioning(until: string) {
  return quotes(until).map(({ ticker, market, trade_date, volume }) => {
    const next = random(`${ticker} ${trade_date} legs`)
    const leg = (share: number): number => Math.round((2 * next() - 1) * share * volume)
    const drift = Math.round(0.6 * wander(`${ticker} foreign`, numberOf(trade_date)) * volume)
    return {
      ticker,
      market,
      trade_date,
      foreign_net_buy: drift + leg(0.1),
      investment_trust_net_buy: next() < 0.6 ? 0 : leg(0.08),
      dealer_net_buy: leg(0.06),
    }
  })
}
