import { closes, type DayPrices, onTick, volumes } from './prices.ts'
import { pathOf, random } from './random.ts'
import { sessions } from './sessions.ts'
import { TICKERS, type Ticker } from './tickers.ts'

/** Generates random walks in valid tick sizes, within the daily limit. */
export function quotes(until: string) {
  const days = sessions(until)
  return TICKERS.flatMap(ticker => {
    const [prices, traded] = [closes(ticker, days), volumes(ticker, days)]
    return days.map(({ day }, place) => quote(ticker, day, prices[place]!, traded[place]!))
  })
}

function quote(ticker: Ticker, day: string, { reference, close }: DayPrices, volume: number) {
  const next = random(`${ticker.code} ${day} quote`)
  const open = onTick(ticker, reference + (close - reference) * next() * 0.5)
  const high = onTick(ticker, Math.max(open, close) * (1 + next() * 0.008))
  const low = onTick(ticker, Math.min(open, close) * (1 - next() * 0.008))
  return {
    ticker: ticker.code,
    market: ticker.market,
    trade_date: day,
    name: ticker.name,
    open,
    high: Math.max(high, open, close),
    low: Math.min(low, open, close),
    close,
    volume,
    turnover: Math.round((volume * (open + high + low + close)) / 4),
    trades: Math.ceil(volume / (600 + 900 * next())),
  }
}

/**
 * Generates net purchases of three groups. The foreign group trades in one direction for days, so
 * that streaks occur. The sum of the groups is well below the day's volume.
 */
export function positioning(until: string) {
  const days = sessions(until)
  return TICKERS.flatMap(ticker => {
    const [traded, drift] = [volumes(ticker, days), pathOf(`${ticker.code} foreign`)]
    return days.map(({ day, number }, place) => legs(ticker, day, traded[place]!, drift(number)))
  })
}

function legs({ code, market }: Ticker, day: string, volume: number, drift: number) {
  const next = random(`${code} ${day} legs`)
  const leg = (share: number): number => Math.round((2 * next() - 1) * share * volume)
  return {
    ticker: code,
    market,
    trade_date: day,
    foreign_net_buy: Math.round(0.6 * drift * volume) + leg(0.1),
    investment_trust_net_buy: next() < 0.6 ? 0 : leg(0.08),
    dealer_net_buy: leg(0.06),
  }
}
