import type { Row } from '../../api/row.ts'

export interface Listed {
  readonly ticker: string
  readonly name: string
  readonly market: string
  readonly industry: string | null
  readonly close: number | null
  /** Change from the previous close, in percent. */
  readonly change: number | null
  readonly turnover: number | null
  readonly volume: number | null
  readonly pe: number | null
  readonly pb: number | null
  /** Dividend yield, in percent. */
  readonly dividend: number | null
}

export const SORTS = ['ticker', 'industry', 'close', 'change', 'turnover', 'volume', 'pe', 'pb', 'dividend'] as const
export type Sort = (typeof SORTS)[number]

const numberIn = (row: Row | undefined, column: string): number | null => {
  const value = row?.[column]
  return typeof value === 'number' ? value : null
}

export function listing(listed: readonly Row[], day: readonly Row[], before: readonly Row[], ratios: readonly Row[]): readonly Listed[] {
  const byTicker = (rows: readonly Row[]) => new Map(rows.map(row => [String(row['ticker']), row]))
  const [prices, former, ratiosOf] = [byTicker(day), byTicker(before), byTicker(ratios)]
  return listed.map(row => {
    const ticker = String(row['ticker'])
    const price = prices.get(ticker)
    const [close, last] = [numberIn(price, 'close'), numberIn(former.get(ticker), 'close')]
    const ratio = ratiosOf.get(ticker)
    return {
      ticker,
      name: String(row['name'] ?? ''),
      market: String(row['market'] ?? ''),
      industry: typeof row['industry'] === 'string' ? row['industry'] : null,
      close,
      change: close === null || last === null || last === 0 ? null : (close / last - 1) * 100,
      turnover: numberIn(price, 'turnover'),
      volume: numberIn(price, 'volume'),
      pe: numberIn(ratio, 'pe_ratio'),
      pb: numberIn(ratio, 'pb_ratio'),
      dividend: numberIn(ratio, 'dividend_yield'),
    }
  })
}

/**
 * Sorts by a column. Securities without a value come last.
 *
 * @param order name of a column, with `-` for descending order
 */
export function sortedBy(all: readonly Listed[], order: string): readonly Listed[] {
  const isDescending = order.startsWith('-')
  const column = SORTS.find(name => name === order.replace('-', '')) ?? 'turnover'
  const sign = isDescending ? -1 : 1
  return [...all].sort((a, b) => {
    const [one, other] = [a[column], b[column]]
    if (one === null || other === null) return Number(one === null) - Number(other === null) || (a.ticker < b.ticker ? -1 : 1)
    return one === other ? (a.ticker < b.ticker ? -1 : 1) : one < other ? -sign : sign
  })
}

export interface IndustrySum {
  /** Null for securities without an industry. */
  readonly industry: string | null
  readonly count: number
  readonly up: number
  readonly down: number
  readonly turnover: number
  /** Change in percent, weighted by turnover. Null if no security has one. */
  readonly change: number | null
}

export function industriesOf(all: readonly Listed[]): readonly IndustrySum[] {
  return [...Map.groupBy(all, ({ industry }) => industry)]
    .map(([industry, members]) => {
      const moved = members.filter(({ change, turnover }) => change !== null && turnover !== null)
      const traded = moved.reduce((sum, { turnover }) => sum + turnover!, 0)
      return {
        industry,
        count: members.length,
        up: members.filter(({ change }) => (change ?? 0) > 0).length,
        down: members.filter(({ change }) => (change ?? 0) < 0).length,
        turnover: members.reduce((sum, { turnover }) => sum + (turnover ?? 0), 0),
        change: traded === 0 ? null : moved.reduce((sum, { change, turnover }) => sum + change! * turnover!, 0) / traded,
      }
    })
    .sort((a, b) => b.turnover - a.turnover)
}
