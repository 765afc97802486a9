import type { Row } from '../../api/client.ts'

/** A security on the map. */
export interface Tile {
  readonly ticker: string
  readonly name: string
  /** Turnover of the day in TWD. */
  readonly turnover: number
  readonly close: number | null
  /** Change from the previous close in percent; null if either close is missing. */
  readonly change: number | null
}

export interface Industry {
  /** Null for securities without an industry, mostly funds. */
  readonly name: string | null
  readonly turnover: number
  /** Change of its securities, weighted by turnover; null if none has a change. */
  readonly change: number | null
  /** By turnover, descending. */
  readonly tiles: readonly Tile[]
}

/**
 * The securities of a day by industry, by turnover in descending order. Changes are of unadjusted
 * closes: an ex-dividend day appears as a fall.
 *
 * @param day rows of the day: ticker, name, close, turnover
 * @param before rows of the previous trading day: ticker, close
 * @param listed rows of the list of securities: ticker, industry
 */
export function industriesOf(day: readonly Row[], before: readonly Row[], listed: readonly Row[]): readonly Industry[] {
  const closes = new Map(before.map(({ ticker, close }) => [ticker, close as number | null]))
  const industries = new Map(listed.map(({ ticker, industry }) => [ticker, (industry as string | null) ?? null]))
  const groups = Map.groupBy(day, ({ ticker }) => industries.get(ticker!) ?? null)
  return [...groups]
    .map(([name, rows]) => {
      const tiles = rows.map(row => tileOf(row, closes.get(row['ticker']!) ?? null)).sort((a, b) => b.turnover - a.turnover)
      return { name, turnover: sum(tiles.map(({ turnover }) => turnover)), change: weighed(tiles), tiles }
    })
    .sort((a, b) => b.turnover - a.turnover)
}

function tileOf({ ticker, name, turnover, close }: Row, before: number | null): Tile {
  const change = typeof close === 'number' && before !== null && before !== 0 ? (close / before - 1) * 100 : null
  return { ticker: String(ticker), name: String(name), turnover: Number(turnover ?? 0), close: close as number | null, change }
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0)

function weighed(tiles: readonly Tile[]): number | null {
  const moved = tiles.filter(({ change, turnover }) => change !== null && turnover > 0)
  const all = sum(moved.map(({ turnover }) => turnover))
  return all === 0 ? null : sum(moved.map(({ change, turnover }) => change! * turnover)) / all
}

/**
 * The class of a change: flat, or a rise or fall below 1%, below 3% or more. `none` if it is
 * unknown.
 */
export function classOf(change: number | null): 'none' | 'down-3' | 'down-2' | 'down-1' | 'flat' | 'up-1' | 'up-2' | 'up-3' {
  if (change === null) return 'none'
  const size = Math.abs(change) < 0.05 ? 0 : Math.abs(change) < 1 ? 1 : Math.abs(change) < 3 ? 2 : 3
  return size === 0 ? 'flat' : (`${change > 0 ? 'up' : 'down'}-${size}` as 'up-1')
}
