import type { Measure } from './figures.ts'

/** Name of a color. The page has a CSS variable of the same name. */
export type Colour = 'up' | 'down' | 'accent' | 'dim' | 'line' | 'text' | `series-${1 | 2 | 3 | 4 | 5 | 6}`

/** A day as YYYY-MM-DD, or months to maturity on a yield curve. */
export type ChartX = string | number

export interface Point {
  readonly x: ChartX
  /** Null leaves a gap in the line. */
  readonly value: number | null
  readonly colour?: Colour
}

export interface Candle {
  readonly x: string
  /** All prices are null on a day without trades. */
  readonly open: number | null
  readonly high: number | null
  readonly low: number | null
  readonly close: number | null
}

/** A mark at a value. If the day has no value, the nearest one is used. */
export interface Mark {
  readonly x: string
  readonly text: string
  readonly colour: Colour
  readonly shape: 'arrowUp' | 'arrowDown' | 'circle' | 'square'
  readonly position: 'aboveBar' | 'belowBar'
}

export interface Level {
  readonly value: number
  readonly text: string
  readonly colour: Colour
}

interface Placed {
  readonly label: string
  /** Format of the values. Default: numbers without a unit. */
  readonly measure?: Measure
  /** Side of the value axis. Default: right. Series of different magnitudes use different sides. */
  readonly scale?: 'left' | 'right'
  /** 0 for the upper pane, 1 for the pane below. */
  readonly pane?: number
  readonly marks?: readonly Mark[]
  readonly levels?: readonly Level[]
}

/** Values of a series, oldest first, with at most one per day. */
export type Series =
  | (Placed & { readonly kind: 'candles'; readonly points: readonly Candle[] })
  | (Placed & {
      readonly kind: 'line' | 'area' | 'bars'
      readonly colour: Colour
      readonly points: readonly Point[]
      readonly isDashed?: boolean
      /** Line width in pixels. Default: 2. */
      readonly width?: 1 | 2
    })

export interface ChartSpec {
  /** Horizontal axis: days for `time`, months to maturity for `curve`. */
  readonly kind: 'time' | 'curve'
  readonly series: readonly Series[]
  /** Stacks positive values upwards, negative values downwards. */
  readonly isStacked?: boolean
  /** Heights of the lower panes, topmost first, as shares of the chart. Default: 0.25 each. */
  readonly panes?: readonly number[]
  /** True for a logarithmic price axis in the upper pane. */
  readonly isLog?: boolean
}

/**
 * Returns the ends of stacked bars. An end is the sum of the value and all earlier values of the
 * same sign. Draw the last series first, because its bars cover the most.
 *
 * @example stacked([[3], [-1], [2]]) // [[3], [-1], [5]]
 */
export function stacked(parts: readonly (readonly (number | null)[])[]): readonly (readonly (number | null)[])[] {
  const [above, below]: [number[], number[]] = [[], []]
  return parts.map(values =>
    values.map((value, index) => {
      if (value === null) return null
      const side = value < 0 ? below : above
      side[index] = (side[index] ?? 0) + value
      return side[index]
    }),
  )
}

/** Returns all days or tenors of a chart, in order. */
export function positions({ series }: ChartSpec): readonly ChartX[] {
  const all = new Set<ChartX>(series.flatMap(({ points }) => points.map(({ x }) => x)))
  return [...all].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
}

/** Returns the color of a series in the legend. Candles and bars can change color each day. */
export function colourOf(series: Series, x: ChartX): Colour {
  if (series.kind !== 'candles') return series.points.find(point => point.x === x)?.colour ?? series.colour
  const { open, close } = series.points.find(point => point.x === x) ?? {}
  return open == null || close == null ? 'text' : close >= open ? 'up' : 'down'
}
