import type { Row } from '../../api/row.ts'

/** What the area of a tile means: turnover or market value. */
export type Measured = 'turnover' | 'value'

export interface Tile {
  readonly ticker: string
  readonly name: string
  /** Turnover of the day or market value, in TWD. */
  readonly size: number
  readonly close: number | null
  /** Change from the previous close in percent. Null if a close is missing. */
  readonly change: number | null
}

export interface Industry {
  /** `unknown`: the list has no industry. `small`: several groups too small to be drawn alone. */
  readonly kind: 'industry' | 'funds' | 'unknown' | 'small'
  /** Chinese name of the industry. Null for other groups. */
  readonly name: string | null
  readonly size: number
  /** Mean change of the securities, weighted by size. Null if none has a change. */
  readonly change: number | null
  readonly tiles: readonly Tile[]
}

/** Numbers of securities that rose, fell and did not change. */
export interface Breadth {
  readonly up: number
  readonly down: number
  readonly flat: number
}

interface MapRows {
  readonly day: readonly Row[]
  readonly before: readonly Row[]
  readonly listed: readonly Row[]
  /** Empty if the area represents the turnover. */
  readonly issued: readonly Row[]
}

/** The exchanges' codes of ETFs start with 00, of REITs with 01, of ETNs with 02. */
const FUND = /^0[012]/
/** Codes of preferred shares: the code of the company and a letter. */
const PREFERRED = /^(\d{4})[A-Z]$/

/**
 * Groups securities by industry, largest first. Uses unadjusted prices, which appear to fall on
 * ex-dividend days.
 */
export function industriesOf({ day, before, listed, issued }: MapRows, measured: Measured): readonly Industry[] {
  const closes = new Map(before.map(({ ticker, close }) => [ticker, close as number | null]))
  const industries = new Map(listed.map(({ ticker, industry }) => [ticker, (industry as string | null) ?? null]))
  const shares = new Map(issued.map(({ ticker, issued_shares }) => [ticker, Number(issued_shares ?? 0)]))
  const sizeOf = ({ ticker, close, turnover }: Row): number =>
    measured === 'turnover' ? Number(turnover ?? 0) : Number(close ?? 0) * (shares.get(ticker!) ?? 0)
  const groups = Map.groupBy(day, ({ ticker }): string => {
    const code = String(ticker)
    return FUND.test(code) ? 'funds' : (industries.get(code.replace(PREFERRED, '$1')) ?? 'unknown')
  })
  return [...groups]
    .map(([group, rows]): Industry => {
      const tiles = rows.map(row => tileOf(row, sizeOf(row), closes.get(row['ticker']!) ?? null)).sort((a, b) => b.size - a.size)
      const isOther = group === 'funds' || group === 'unknown'
      return {
        kind: isOther ? group : 'industry',
        name: isOther ? null : group,
        size: sum(tiles.map(({ size }) => size)),
        change: weighed(tiles),
        tiles,
      }
    })
    .sort((a, b) => b.size - a.size)
}

function tileOf({ ticker, name, close }: Row, size: number, before: number | null): Tile {
  const change = typeof close === 'number' && before !== null && before !== 0 ? (close / before - 1) * 100 : null
  return { ticker: String(ticker), name: String(name), size, close: close as number | null, change }
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0)

function weighed(tiles: readonly Tile[]): number | null {
  const moved = tiles.filter(({ change, size }) => change !== null && size > 0)
  const all = sum(moved.map(({ size }) => size))
  return all === 0 ? null : sum(moved.map(({ change, size }) => change! * size)) / all
}

/** Counts securities that rose and fell. Skips securities without a change. */
export function breadthOf(industries: readonly Industry[]): Breadth {
  const changes = industries.flatMap(({ tiles }) => tiles.flatMap(({ change }) => change ?? []))
  return {
    up: changes.filter(change => change > 0).length,
    down: changes.filter(change => change < 0).length,
    flat: changes.filter(change => change === 0).length,
  }
}

/**
 * Returns the CSS class of a change. `flat` means below 0.05%. Class 1 means below 1%, class 2
 * below 3%, class 3 at least 3%. `none` means that the change is unknown.
 */
export function classOf(change: number | null): 'none' | 'down-3' | 'down-2' | 'down-1' | 'flat' | 'up-1' | 'up-2' | 'up-3' {
  if (change === null) return 'none'
  const size = Math.abs(change) < 0.05 ? 0 : Math.abs(change) < 1 ? 1 : Math.abs(change) < 3 ? 2 : 3
  return size === 0 ? 'flat' : (`${change > 0 ? 'up' : 'down'}-${size}` as 'up-1')
}
