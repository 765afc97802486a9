import { addDays } from '../../src/core/index.ts'
import { companyOf } from './companies.ts'
import { random, wander } from './random.ts'
import { lastSession, numberOf } from './sessions.ts'
import { TICKERS, type Ticker } from './tickers.ts'

const WEEKS = 52

/**
 * Approximate number of shares of one holder, per level. The last level gets the remainder of the
 * shares.
 */
const USUAL = [350, 2_000, 7_000, 12_500, 17_500, 25_000, 35_000, 45_000, 70_000, 140_000, 280_000, 480_000, 690_000, 890_000]

/** Approximate share of all issued shares, per level. */
const PARTS = [0.006, 0.045, 0.022, 0.012, 0.009, 0.012, 0.009, 0.006, 0.017, 0.019, 0.02, 0.015, 0.012, 0.009]

/**
 * Generates 17 levels per security for the last 52 weeks: 15 sizes of holdings, a difference
 * (always 0), and the total.
 */
export function shareholderDistribution(until: string) {
  const weeks = weeksUntil(until)
  return TICKERS.flatMap(ticker => weeks.flatMap(week => levels(ticker, week)))
}

/** Returns the last trading day of each week, newest first. A week is published on its Saturday. */
function weeksUntil(until: string): readonly string[] {
  const saturday = addDays(until, -((new Date(`${until}T00:00:00Z`).getUTCDay() + 1) % 7))
  const found = Array.from({ length: WEEKS }, (_, ago) => lastSession(addDays(saturday, -7 * ago - 1)))
  return [...new Set(found)]
}

function levels({ code }: Ticker, week: string) {
  const total = companyOf(code)?.shares ?? 1e9
  const moved = wander(`${code} large holders`, numberOf(week))
  const levels = PARTS.map((part, index) => {
    const spread = 0.8 + 0.4 * random(`${code} level ${index}`)()
    const holders = Math.round((total * part * spread * (1 - moved)) / USUAL[index]!)
    return { holders, shares: holders * USUAL[index]! }
  })
  const left = total - levels.reduce((sum, { shares }) => sum + shares, 0)
  const own = [...levels, { holders: Math.max(1, Math.round(left / 12_000_000)), shares: left }]
  const everyone = own.reduce((sum, { holders }) => sum + holders, 0)
  return [...own, { holders: 0, shares: 0 }, { holders: everyone, shares: total }].map(({ holders, shares }, index) => ({
    ticker: code,
    week_date: week,
    level: index + 1,
    holders,
    shares,
    percent: Math.trunc((10_000 * shares) / total) / 100,
  }))
}
