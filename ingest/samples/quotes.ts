import { random, wander } from './random.ts'
import { numberOf, type Session, sessions } from './sessions.ts'
import { TICKERS, type Ticker } from './tickers.ts'

/** Daily quotes of every ticker: prices wander from one close to the next, on the exchange's ticks and within its daily limit. */
export function quotes(until: string) {
  const days = sessions(until)
  return TICKERS.flatMap(ticker => days.map(day => quote(ticker, day)))
}

function quote(ticker: Ticker, { day, number, previous }: Session) {
  const next = random(`${ticker.code} ${day} quote`)
  const before = priceOn(ticker, previous)
  const close = priceOn(ticker, number)
  const open = onTick(ticker, before + (close - before) * next() * 0.5)
  const high = onTick(ticker, Math.max(open, close) * (1 + next() * 0.008))
  const low = onTick(ticker, Math.min(open, close) * (1 - next() * 0.008))
  const volume = Math.round(usualVolume(ticker) * Math.exp(2 * wander(`${ticker.code} volume`, number)) * (0.7 + 0.6 * next()))
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

const priceOn = (ticker: Ticker, day: number): number => onTick(ticker, usualPrice(ticker) * Math.exp(wander(`${ticker.code} price`, day)))

const usualPrice = ({ code, industry }: Ticker): number => (industry === null ? 15 : 25) * 10 ** (random(`${code} price`)() * 1.4)

const usualVolume = ({ code }: Ticker): number => 10 ** (6 + 1.7 * random(`${code} volume`)())

/** The nearest price the exchange accepts: its ticks widen with the price, and funds have two sizes of their own. */
function onTick({ industry }: Ticker, price: number): number {
  const tick = industry === null ? fundTick(price) : stockTick(price)
  return Number((Math.max(1, Math.round(price / tick)) * tick).toFixed(2))
}

const fundTick = (price: number): number => (price < 50 ? 0.01 : 0.05)

const stockTick = (price: number): number =>
  price < 10 ? 0.01 : price < 50 ? 0.05 : price < 100 ? 0.1 : price < 500 ? 0.5 : price < 1_000 ? 1 : 5

/**
 * Net buying of the three investor groups per ticker and day, by ticker and then day.
 *
 * Together they stay well below the day's volume. The foreign group keeps its sign for days at a time, so streaks appear.
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
