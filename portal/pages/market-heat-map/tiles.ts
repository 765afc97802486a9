import type { Row } from '../../api/client.ts'

/** A security on the map. */
export interface Tile {
  readonly ticker: string
  readonly name: string
  /** TWD traded that day. */
  readonly turnover: number
  readonly close: number | null
  /** Percent of the close before; null where one of the two days has no close. */
  readonly change: number | null
}

export interface Industry {
  /** Null for securities without one, funds above all. */
  readonly name: string | null
  readonly turnover: number
  /** Change of its securities, each weighed by what was traded; null where none has one. */
  readonly change: number | null
  /** By turnover, largest first. */
  readonly tiles: readonly Tile[]
}

/**
 * The securities of a day by industry, largest turnover first. The change is of closes as printed: an ex-dividend day shows as a fall.
 *
 * @param day rows of the day: ticker, name, close, turnover
 * @param before rows of the trading day before: ticker, close
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

/** Seven classes of change: below 1 %, below 3 %, and more, of a rise or a fall, and nearly none; `none` where it is not known. */
export function classOf(change: number | null): 'none' | 'down-3' | 'down-2' | 'down-1' | 'flat' | 'up-1' | 'up-2' | 'up-3' {
  if (change === null) return 'none'
  const size = Math.abs(change) < 0.05 ? 0 : Math.abs(change) < 1 ? 1 : Math.abs(change) < 3 ? 2 : 3
  return size === 0 ? 'flat' : (`${change > 0 ? 'up' : 'down'}-${size}` as 'up-1')
}
