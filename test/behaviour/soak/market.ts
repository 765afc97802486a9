import { isTradingDay } from '../../../ingest/calendar/index.ts'
import { addDays } from '../../../src/core/index.ts'

/**
 * The dataset that the soak publishes. It has no derived columns, so a publication replaces exactly
 * the day of its file.
 */
export const DATASET = 'daily-prices'
export const COLUMNS = ['ticker', 'market', 'trade_date', 'name', 'open', 'high', 'low', 'close', 'volume', 'turnover', 'trades'] as const
export type PriceRow = Readonly<Record<(typeof COLUMNS)[number], string | number | null>>

/**
 * Filter for the rows that an answer must have. Rows are ordered by day, newest first, then by
 * ticker.
 */
export interface Wanted {
  readonly tickers: readonly string[]
  /** First day. Default: all days. */
  readonly from?: string
  /** A single day. */
  readonly on?: string
  readonly limit?: number
}

/**
 * A file to publish. Its step is the number of publications before it; step 0 is the whole history.
 */
export interface PriceFile {
  readonly step: number
  readonly name: string
  readonly csv: string
}

export interface MarketOptions {
  readonly tickers: number
  /** Number of trading days before the first publication. */
  readonly days: number
  /** Maximum number of days that publications add. Later publications only revise days. */
  readonly coming: number
  /** Last possible day, `YYYY-MM-DD`. */
  readonly until: string
}

/**
 * A market in which ticker, day and version determine each row, so that the expected rows of every
 * release can be computed.
 */
export interface Market {
  readonly tickers: readonly string[]
  readonly history: PriceFile
  /**
   * The next publication. Every third one adds a day, while there are days left. The others revise
   * a day.
   */
  next(): PriceFile
  /** Days of the release of a step, oldest first. */
  daysAt(step: number): readonly string[]
  rowsAt(step: number, wanted: Wanted): readonly PriceRow[]
}

const NEW_DAY_EVERY = 3

export function createMarket({ tickers: count, days, coming, until }: MarketOptions): Market {
  const tickers = Array.from({ length: count }, (_, index) => String(1_101 + index))
  const all = tradingDays(until, days + coming)
  let [published, step] = [days, 0]
  /** Steps at which each day was published, oldest first. */
  const versions = new Map(all.slice(0, days).map(day => [day, [0]]))
  /** Number of days after each step. */
  const counts = [days]
  const versionAt = (day: string, step: number): number => versions.get(day)!.findLast(version => version <= step)!
  const daysAt = (step: number): readonly string[] => all.slice(0, counts[step])
  const csvOf = (days: readonly string[], step: number): string =>
    [COLUMNS.join(','), ...days.flatMap(day => tickers.map(ticker => csvLine(rowOf(ticker, day, step)))), ''].join('\n')
  return {
    tickers,
    daysAt,
    history: { step: 0, name: 'history.csv', csv: csvOf(all.slice(0, days), 0) },
    next() {
      step++
      const adds = step % NEW_DAY_EVERY === 1 && published < all.length
      const day = adds ? all[published++]! : all[Math.floor(chance(step, 0, 0, 9) * published)]!
      versions.set(day, [...(versions.get(day) ?? []), step])
      counts.push(published)
      return { step, name: `step-${step}.csv`, csv: csvOf([day], step) }
    },
    rowsAt(step, { tickers: wanted, from = '', on, limit = Number.POSITIVE_INFINITY }) {
      const among = daysAt(step).filter(day => (on === undefined ? day >= from : day === on))
      const rows: PriceRow[] = []
      for (const day of among.toReversed()) {
        for (const ticker of [...new Set(wanted)].sort()) if (rows.length < limit) rows.push(rowOf(ticker, day, versionAt(day, step)))
        if (rows.length >= limit) break
      }
      return rows
    },
  }
}

export function tradingDays(until: string, count: number): readonly string[] {
  const days: string[] = []
  for (let day = until; days.length < count; day = addDays(day, -1)) if (isTradingDay(day)) days.unshift(day)
  return days
}

/** A row in the format of CSV answers. Its values never need quotes. */
export const csvLine = (row: PriceRow): string => COLUMNS.map(column => row[column] ?? '').join(',')

function rowOf(ticker: string, day: string, version: number): PriceRow {
  const [code, date] = [Number(ticker), Date.parse(day) / 86_400_000]
  const random = (salt: number): number => chance(code, date, version, salt)
  const cents = 1_000 + Math.floor(random(1) * 90_000)
  const [high, low] = [cents + Math.floor(random(2) * 500), cents - Math.floor(random(3) * 500)]
  return {
    ticker,
    market: code % 2 === 0 ? 'TWSE' : 'TPEX',
    trade_date: day,
    name: `股${ticker}`,
    open: cents / 100,
    high: high / 100,
    low: low / 100,
    close: Math.floor((high + low) / 2) / 100,
    volume: Math.floor(random(4) * 1e8),
    turnover: Math.floor(random(5) * 1e11),
    trades: random(6) < 0.02 ? null : Math.floor(random(7) * 1e5),
  }
}

/** A pseudorandom number from 0 to 1. The arguments alone determine it. */
function chance(...of: readonly number[]): number {
  let hash = 2_166_136_261
  for (const value of of) {
    hash = Math.imul(hash ^ value, 16_777_619)
    hash = Math.imul(hash ^ (hash >>> 13), 0x5bd1e995)
    hash ^= hash >>> 15
  }
  return (hash >>> 0) / 2 ** 32
}
