import { join } from 'node:path'
import { closedByRule } from '../src/calendar/index.ts'
import { addDays } from '../src/core/index.ts'
import { literal, type Session } from '../src/engine/index.ts'

export const SLUG = 'institutional-positioning'

/** All sizes have the same days, so the histories of tickers are equally long. */
export const SIZES = { grown: 20_000, full: 2_000, small: 200 } as const
export type Size = keyof typeof SIZES

export const DAYS = 3_300
const LAST_DAY = '2026-05-29'
/** Days that benchmarks append after the last day of the release. */
export const NEXT_DAYS = tradingDays('2026-06-09', 7)

export const folderOf = (name: Size | 'append' | 'latency' | 'mixed' | 'drop' | 'computed' | 'options' | 'screener'): string =>
  join(import.meta.dirname, '.data', name)

export const dayFile = (size: Size, day: string): string => join(folderOf(size), `${day}.parquet`)

export const tickersOf = (size: Size): readonly string[] => Array.from({ length: SIZES[size] }, (_, index) => String(1_000 + index))

const EVENING = Date.parse('2026-07-01T12:00:00Z')
/** Starts on 2026-07-01, so that every machine treats the same days as new. */
export const clock = (): Date => new Date(EVENING + Math.round(performance.now()))

/**
 * Writes rows with all columns.
 * @param days default: the whole history
 */
export async function writeRows(session: Session, size: Size, file: string, days: readonly string[] = history()): Promise<void> {
  await session.run('CREATE OR REPLACE TABLE bench_tickers (ticker VARCHAR)')
  await session.append('bench_tickers', [tickersOf(size)])
  await session.run('CREATE OR REPLACE TABLE bench_days (day VARCHAR)')
  await session.append('bench_days', [days])
  await session.run(`COPY (${ROWS}) TO ${literal(file)} (FORMAT parquet)`)
}

/** Returns a pseudo-random order, the same on every run. */
export function shuffled<T>(values: readonly T[]): readonly T[] {
  let seed = 1
  const chance = (): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    return seed
  }
  return values
    .map(value => ({ value, at: chance() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value)
}

/** Oldest first. */
export const history = (): readonly string[] => tradingDays(LAST_DAY, DAYS)

export function tradingDays(last: string, count: number): readonly string[] {
  const days: string[] = []
  for (let day = last; days.length < count; day = addDays(day, -1)) if (!closedByRule(day)) days.unshift(day)
  return days
}

/** SQL of a number from 0 to 1, which depends on the row and on `salt`. */
const chance = (salt: number): string => `((hash(ticker, day, ${salt}) % 1000003) / 1000003)`

/** Ratios have as many digits as real ratios. */
const ROWS = `
WITH traded AS (
  SELECT ticker, CASE WHEN ticker::INTEGER % 2 = 0 THEN 'TWSE' ELSE 'TPEX' END AS market, day::DATE AS trade_date,
    CASE WHEN ${chance(1)} >= 0.02 THEN 10000 + (hash(ticker, day, 2) % 40000000)::BIGINT END AS volume,
    round((${chance(3)} - 0.5) * 8e6)::BIGINT AS foreign_net_buy,
    CASE WHEN ${chance(4)} < 0.6 THEN 0 ELSE round((${chance(5)} - 0.5) * 1e6)::BIGINT END AS investment_trust_net_buy,
    round((${chance(6)} - 0.5) * 5e5)::BIGINT AS dealer_net_buy, 1 + (hash(ticker, day, 7) % 6)::BIGINT AS streak, ${chance(8)} AS rank
  FROM bench_tickers CROSS JOIN bench_days
), added AS (
  SELECT *, foreign_net_buy + investment_trust_net_buy + dealer_net_buy AS institutional_net_buy_total FROM traded
)
SELECT ticker, market, trade_date, foreign_net_buy, investment_trust_net_buy, dealer_net_buy, institutional_net_buy_total,
  foreign_net_buy / volume AS foreign_pct, CASE WHEN volume IS NOT NULL THEN rank END AS foreign_pct_percentile,
  CASE WHEN institutional_net_buy_total > 0 THEN streak ELSE 0 END AS buy_streak,
  CASE WHEN institutional_net_buy_total < 0 THEN streak ELSE 0 END AS sell_streak,
  institutional_net_buy_total / volume AS inst_share_of_volume
FROM added`
