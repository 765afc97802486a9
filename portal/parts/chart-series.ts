/** A colour of the page, by the name of its CSS variable. */
export type Colour = 'up' | 'down' | 'accent' | 'dim' | 'line' | 'text' | `series-${1 | 2 | 3 | 4 | 5 | 6}`

/** Where a value stands: a day as YYYY-MM-DD, or on a yield curve the months to maturity. */
export type At = string | number

export interface Point {
  readonly at: At
  /** Null leaves a gap. */
  readonly value: number | null
  /** Of this value alone. */
  readonly colour?: Colour
}

export interface Candle {
  readonly at: string
  /** Null on a day without trades, as are the others. */
  readonly open: number | null
  readonly high: number | null
  readonly low: number | null
  readonly close: number | null
}

/** Something marked beside a value; one of a day without a value stands at the nearest. */
export interface Mark {
  readonly at: string
  readonly text: string
  readonly colour: Colour
  readonly shape: 'arrowUp' | 'arrowDown' | 'circle' | 'square'
  readonly position: 'aboveBar' | 'belowBar'
}

/** A horizontal line at a value. */
export interface Level {
  readonly value: number
  readonly text: string
  readonly colour: Colour
}

interface Placed {
  readonly label: string
  /** Said behind values, for example `%`. */
  readonly unit?: string
  /** Most digits after the point; 2 when absent. */
  readonly digits?: number
  /** The axis it is measured on; values of another size have another. The right one when absent. */
  readonly scale?: 'left' | 'right'
  /** 0 is the upper part of the chart, 1 the one below it. */
  readonly pane?: number
  readonly marks?: readonly Mark[]
  readonly levels?: readonly Level[]
}

/** Values of one kind, oldest first, no day twice. */
export type Series =
  | (Placed & { readonly kind: 'candles'; readonly points: readonly Candle[] })
  | (Placed & {
      readonly kind: 'line' | 'area' | 'bars'
      readonly colour: Colour
      readonly points: readonly Point[]
      readonly isDashed?: boolean
      /** Pixels; 2 when absent. */
      readonly width?: 1 | 2
    })

/** What a chart draws. */
export interface ChartSpec {
  /** `curve` has months to maturity below it, `time` days. */
  readonly kind: 'time' | 'curve'
  readonly series: readonly Series[]
  /** True where bars stand on one another: those above zero upwards, those below it downwards. */
  readonly isStacked?: boolean
  /** What share of the height each part below the first one has, from the top; 0.25 each when absent. */
  readonly panes?: readonly number[]
}

/**
 * Bars that stand on one another when the last is drawn first: each reaches from zero over those before it that have its sign.
 *
 * @example stacked([[3], [-1], [2]]) // [[3], [-1], [5]]
 */
export function stacked(parts: readonly (readonly (number | null)[])[]): readonly (readonly (number | null)[])[] {
  const [above, below]: [number[], number[]] = [[], []]
  return parts.map(values =>
    values.map((value, at) => {
      if (value === null) return null
      const side = value < 0 ? below : above
      side[at] = (side[at] ?? 0) + value
      return side[at]
    }),
  )
}

/** Every day or tenor of a chart, in order. */
export function positions({ series }: ChartSpec): readonly At[] {
  const all = new Set<At>(series.flatMap(({ points }) => points.map(({ at }) => at)))
  return [...all].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
}

/** The colour a series is known by in the legend. */
export const colourOf = (series: Series): Colour => (series.kind === 'candles' ? 'text' : series.colour)
