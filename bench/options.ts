import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { literal } from '../src/engine/index.ts'
import { cloneOf } from './append.ts'
import { publishSelected, withWorkspace } from './computed.ts'
import { folderOf, type Size, tickersOf, tradingDays } from './data.ts'
import { inTurns, line } from './grown.ts'
import type { Line } from './table.ts'

const SHAPE = {
  full: { days: 1_000, contracts: 40 },
  small: { days: 100, contracts: 4 },
} as const
const [EXPIRIES, STRIKES] = [5, 15] as const

/**
 * Reads from two services. Only the first service has the options of TAIFEX.
 *
 * @param rounds number of reads from each service
 */
export async function measureOptions(size: Exclude<Size, 'grown'>, rounds: number, say: (text: string) => void): Promise<readonly Line[]> {
  const folder = folderOf('options')
  const made = join(folder, `made-${size}`)
  const { days, contracts } = SHAPE[size]
  const rows = days * contracts * EXPIRIES * STRIKES * 2
  if (!existsSync(made)) {
    cloneOf(size, 'options')
    say(`publishing ${(rows / 1e6).toFixed(2)} M rows of options`)
    await withWorkspace(folder, async workspace => {
      await publishSelected(workspace, 'options-daily', optionsOf(tradingDays('2026-05-29', days), contracts))
    })
    writeFileSync(made, '')
  }
  const tickers = tickersOf(size)
  const times = await inTurns(
    [
      { folder, tickers },
      { folder: folderOf(size), tickers },
    ],
    rounds,
    {},
  )
  return [
    line(`point read next to ${(rows / 1e6).toFixed(1)} M rows of options / without them, p50`, times, 0.5),
    line('  p99', times, 0.99, 1.1),
  ]
}

const optionsOf = (days: readonly string[], contracts: number): string => `
  SELECT contract, day AS trade_date, contract_month, strike AS strike_price, option_type, 'regular' AS session, price AS open,
    price + 5 AS high, greatest(price - 5, 0.1) AS low, price AS close, 1.0::DOUBLE AS change, 1.0::DOUBLE AS change_percent,
    (hash(contract, day, strike) % 5000)::BIGINT AS volume, price AS settlement_price, (hash(day, strike, option_type) % 20000)::BIGINT AS open_interest,
    price - 1 AS best_bid, price + 1 AS best_ask, price + 50 AS historical_high, 0.1::DOUBLE AS historical_low, NULL::VARCHAR AS trading_halt
  FROM (
    SELECT chr(65 + (c // 26)::INTEGER) || chr(65 + (c % 26)::INTEGER) || 'O' AS contract, day, strftime(day + INTERVAL 1 MONTH * e, '%Y%m') AS contract_month,
      (20000 + 100 * k)::DOUBLE AS strike, option_type, (100 + hash(c, day, e, k, option_type) % 4000 / 10.0)::DOUBLE AS price
    FROM range(${contracts}) AS contracts(c), (SELECT unnest([${days.map(literal).join(', ')}])::DATE AS day), range(1, ${EXPIRIES + 1}) AS expiries(e),
      range(${STRIKES}) AS strikes(k), (VALUES ('call'), ('put')) AS types(option_type)
  )`
