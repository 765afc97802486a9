import { addDays } from '../../src/core/index.ts'
import { companyOf } from './companies.ts'
import { payoutEffect } from './payouts.ts'
import { pathOf, random } from './random.ts'
import { lastSession, type Session } from './sessions.ts'
import type { Ticker } from './tickers.ts'

/**
 * Weights of three paths in a price. The sum is 1, so that prices stay within the limits of one
 * path.
 */
const [MARKET, INDUSTRY, OWN] = [0.45, 0.25, 0.3]

export const marketMood: (number: number) => number = cached(pathOf('market'))

export function industryMood(industry: string): (number: number) => number {
  const mood = industries.get(industry) ?? cached(pathOf(`${industry} industry`))
  industries.set(industry, mood)
  return mood
}

const industries = new Map<string, (number: number) => number>()

function cached(path: (number: number) => number): (number: number) => number {
  const cache = new Map<number, number>()
  return number => {
    const value = cache.get(number) ?? path(number)
    cache.set(number, value)
    return value
  }
}

const FUND_PRICES: Readonly<Record<string, number>> = {
  '0050': 65,
  '0056': 37,
  '006201': 25,
  '006208': 140,
  '00632R': 20,
  '00679B': 28,
  '00878': 22,
  '2881A': 62,
}

/** How strongly an inverse fund and a bond fund follow the market. */
const MARKET_SHARE: Readonly<Record<string, number>> = { '00632R': -0.9, '00679B': 0 }

export interface DayPrices {
  readonly before: number
  /** Previous close, adjusted for a payout on this day. */
  readonly reference: number
  readonly close: number
}

/**
 * Returns prices on valid ticks. Dividends lower the price on the ex-day. Adjusted prices
 * therefore have no gaps.
 */
export function closes(ticker: Ticker, days: readonly Session[]): readonly DayPrices[] {
  const usual = companyOf(ticker.code)?.price ?? FUND_PRICES[ticker.code] ?? 20
  const mood = moodOf(ticker)
  const pays = ticker.industry !== null && companyOf(ticker.code) !== undefined
  const effectOn = (day: string): number => (pays ? payoutEffect(ticker.code, day) : 0)
  const priceOn = ({ day, number }: Session): number => onTick(ticker, usual * Math.exp(mood(number) + effectOn(day)))
  const [first] = days
  let former: Session = first ? { day: lastSession(addDays(first.day, -1)), number: first.number - 1 } : { day: '', number: 0 }
  return days.map(session => {
    const before = priceOn(former)
    const reference = onTick(ticker, before * Math.exp(effectOn(session.day) - effectOn(former.day)))
    former = session
    return { before, reference, close: priceOn(session) }
  })
}

function moodOf({ code, industry }: Ticker): (number: number) => number {
  const own = pathOf(`${code} price`)
  if (industry === null) {
    const share = MARKET_SHARE[code] ?? 0.95
    return number => share * marketMood(number) + (1 - Math.abs(share)) * 0.3 * own(number)
  }
  const industryOwn = industryMood(industry)
  return number => MARKET * marketMood(number) + INDUSTRY * industryOwn(number) + OWN * own(number)
}

/** Generates volumes, usually 0.1% to 0.5% of the issued shares. */
export function volumes({ code }: Ticker, days: readonly Session[]): readonly number[] {
  const next = random(`${code} volume`)
  const busy = next()
  const shares = companyOf(code)?.shares
  const usual = shares === undefined ? 10 ** (6.5 + busy) : shares * 0.001 * 5 ** busy
  const path = pathOf(`${code} volume`)
  return days.map(({ number }) => Math.round(usual * Math.exp(2 * path(number))))
}

/**
 * Returns the nearest valid price. Tick sizes grow with the price. Funds have two special tick
 * sizes.
 */
export function onTick({ industry }: Ticker, price: number): number {
  const tick = industry === null ? fundTick(price) : stockTick(price)
  return Number((Math.max(1, Math.round(price / tick)) * tick).toFixed(2))
}

const fundTick = (price: number): number => (price < 50 ? 0.01 : 0.05)

const stockTick = (price: number): number =>
  price < 10 ? 0.01 : price < 50 ? 0.05 : price < 100 ? 0.1 : price < 500 ? 0.5 : price < 1_000 ? 1 : 5
