import {
  AreaSeries,
  CandlestickSeries,
  ColorType,
  createChart,
  createSeriesMarkers,
  createYieldCurveChart,
  type DeepPartial,
  HistogramSeries,
  type HorzScaleOptions,
  type IChartApiBase,
  type ISeriesApi,
  LineSeries,
  LineStyle,
  PriceScaleMode,
  type SeriesType,
  TickMarkType,
} from 'lightweight-charts'
import { isDark } from '../frame/theme-switch.ts'
import { type ChartSpec, type ChartX, type Colour, positions, type Series, stacked } from './chart-series.ts'
import { display } from './display.ts'
import { fixed, LOCALE, say } from './language.ts'
import { plainMeasure } from './units.ts'

export interface DrawnChart {
  /** Moves the crosshair to a day or tenor. Null hides it. */
  point(x: ChartX | null): void
  picture(): HTMLCanvasElement
  remove(): void
}

type Chart = IChartApiBase<never>
type Line = ISeriesApi<SeriesType, never>
type Plain = Exclude<Series, { readonly kind: 'candles' }>

/** Height of a lower pane, as a share of the chart. */
const LOWER = 0.25

export function drawChart(place: HTMLElement, spec: ChartSpec, hovered: (x: ChartX | null) => void): DrawnChart {
  const colour = readColours(place)
  const chart = createOn(place, spec, colour)
  const lines = addSeries(chart, spec, colour)
  sharePanes(chart, spec)
  if (spec.isLog) chart.priceScale('right', 0).applyOptions({ mode: PriceScaleMode.Logarithmic })
  chart.timeScale().fitContent()
  chart.subscribeCrosshairMove(({ time }) => hovered((time as ChartX | undefined) ?? null))
  return {
    point: x => {
      if (x === null) return chart.clearCrosshairPosition()
      for (const [index, { points }] of spec.series.entries()) {
        const found = points.find(point => point.x === x)
        const value = found && ('value' in found ? found.value : found.close)
        if (value !== null && value !== undefined) return chart.setCrosshairPosition(value, x as never, lines[index]!)
      }
    },
    picture: () => chart.takeScreenshot(),
    remove: () => chart.remove(),
  }
}

/** Width of a printed chart in pixels. */
const PRINTED_WIDTH = 1_000

/**
 * Draws a chart for paper, in the light theme. A canvas can only read the page's current colors, so
 * the page switches to the light theme during drawing.
 *
 * @param height height of the chart on screen, in pixels
 */
export function printedChart(spec: ChartSpec, height: number): HTMLCanvasElement {
  const { dataset } = document.documentElement
  const theme = dataset['theme']
  dataset['theme'] = 'light'
  const place = document.createElement('div')
  Object.assign(place.style, { position: 'absolute', left: '-10000px', width: `${PRINTED_WIDTH}px`, height: `${height}px` })
  document.body.append(place)
  const chart = drawChart(place, spec, () => {})
  const picture = chart.picture()
  chart.remove()
  place.remove()
  if (theme === undefined) delete dataset['theme']
  else dataset['theme'] = theme
  return picture
}

const NAMES = ['back', 'up', 'down', 'accent', 'dim', 'line', 'text', ...[1, 2, 3, 4, 5, 6].map(n => `series-${n}`)] as const

/** Colors of each theme. Cached, because reading them is slow. */
const palettes = new Map<string, ReadonlyMap<string, string>>()

/** Reads the page's colors, because a canvas supports neither CSS variables nor `light-dark()`. */
function readColours(place: HTMLElement): (name: Colour | 'back') => string {
  const key = `${isDark()} ${display.value.colours}`
  const palette = palettes.get(key) ?? probeColours(place)
  palettes.set(key, palette)
  return name => palette.get(name)!
}

function probeColours(place: HTMLElement): ReadonlyMap<string, string> {
  const probes = NAMES.map(name => {
    const probe = document.createElement('span')
    probe.style.color = `var(--${name})`
    return [name, probe] as const
  })
  place.append(...probes.map(([, probe]) => probe))
  const palette = new Map(probes.map(([name, probe]) => [name, getComputedStyle(probe).color]))
  for (const [, probe] of probes) probe.remove()
  return palette
}

const DAY = new Intl.DateTimeFormat(LOCALE, { timeZone: 'UTC', month: say({ en: 'short', zh: 'numeric' }) as 'short', day: 'numeric' })

/**
 * Returns the label of a day between two months on the time axis, with its month. Null selects the
 * default label.
 */
const dayLabel = (day: unknown, type: TickMarkType): string | null =>
  type === TickMarkType.DayOfMonth && typeof day === 'string' ? DAY.format(Date.parse(day)) : null

/** Free space to the right of the last point for labels, as a share of all points. */
const LABELS = 0.14

function createOn(place: HTMLElement, spec: ChartSpec, colour: (name: Colour | 'back') => string): Chart {
  const { kind, series } = spec
  const border = { borderColor: colour('line') }
  const priceScale = { ...border, entireTextOnly: true }
  const hasLevels = series.some(({ levels = [] }) => levels.length > 0)
  const timeScale: DeepPartial<HorzScaleOptions> = {
    ...border,
    minBarSpacing: 0.02,
    fixLeftEdge: true,
    fixRightEdge: !hasLevels,
    rightOffset: hasLevels ? Math.ceil(positions(spec).length * LABELS) : 0,
  }
  const options = {
    autoSize: true,
    layout: {
      attributionLogo: false,
      background: { type: ColorType.Solid, color: colour('back') },
      textColor: colour('dim'),
      fontFamily: getComputedStyle(place).fontFamily,
      panes: { separatorColor: colour('line'), enableResize: false },
    },
    grid: { vertLines: { color: colour('line') }, horzLines: { color: colour('line') } },
    rightPriceScale: { ...priceScale, visible: series.some(({ scale }) => scale !== 'left') },
    leftPriceScale: { ...priceScale, visible: series.some(({ scale }) => scale === 'left') },
    crosshair: { mode: 0 },
    // The mouse wheel and vertical swipes scroll the page instead.
    handleScroll: { mouseWheel: false, vertTouchDrag: false },
    handleScale: { mouseWheel: false },
    localization: { locale: LOCALE, dateFormat: 'yyyy-MM-dd' },
    timeScale,
  }
  if (kind === 'time')
    return createChart(place, { ...options, timeScale: { ...timeScale, tickMarkFormatter: dayLabel } }) as unknown as Chart
  // Version 5.2.1 of the library ignores `yieldCurve.formatTime`.
  const timeFormatter = (months: number) =>
    months % 12 === 0 ? say({ en: `${months / 12}Y`, zh: `${months / 12}年` }) : say({ en: `${months}M`, zh: `${months}個月` })
  return createYieldCurveChart(place, {
    ...options,
    localization: { ...options.localization, timeFormatter, priceFormatter: (value: number) => `${fixed(value, 2)}%` },
    yieldCurve: { baseResolution: 12, minimumTimeRange: 12 },
  }) as unknown as Chart
}

/**
 * Adds all series. Later series cover earlier ones, so the highest stacked bar must be added first.
 */
function addSeries(chart: Chart, { series, isStacked = false }: ChartSpec, colour: (name: Colour) => string): readonly Line[] {
  const bars = series.filter((one): one is Plain => one.kind === 'bars')
  const reach = isStacked ? stacked(aligned(bars)) : null
  const lines = new Map<Series, Line>()
  for (const bar of isStacked ? [...bars].reverse() : []) {
    lines.set(bar, addOne(chart, bar, colour, { values: reach![bars.indexOf(bar)]!, xs: positions({ kind: 'time', series: bars }) }))
  }
  for (const item of series) if (!lines.has(item)) lines.set(item, addOne(chart, item, colour))
  return series.map(one => lines.get(one)!)
}

/** Returns the values of each series on the days of all series. A missing value is null. */
function aligned(series: readonly Plain[]): readonly (readonly (number | null)[])[] {
  const days = positions({ kind: 'time', series })
  return series.map(({ points }) => {
    const values = new Map(points.map(({ x, value }) => [x, value]))
    return days.map(day => values.get(day) ?? null)
  })
}

interface Reach {
  readonly xs: readonly ChartX[]
  readonly values: readonly (number | null)[]
}

function addOne(chart: Chart, item: Series, colour: (name: Colour) => string, reach?: Reach): Line {
  const { measure = plainMeasure(), scale = 'right', pane = 0 } = item
  const common = {
    priceScaleId: scale,
    priceFormat: { type: 'custom' as const, formatter: measure.axis, minMove: 0.01 },
    priceLineVisible: false,
    lastValueVisible: false,
  }
  if (item.kind === 'candles') {
    const [upColor, downColor] = [colour('up'), colour('down')]
    const paint = { upColor, downColor, borderUpColor: upColor, borderDownColor: downColor, wickUpColor: upColor, wickDownColor: downColor }
    const candles = chart.addSeries(CandlestickSeries, { ...common, ...paint }, pane)
    candles.setData(
      item.points.map(({ x, ...values }) => (Object.values(values).includes(null) ? { time: x } : { time: x, ...values })) as never[],
    )
    return finish(candles as unknown as Line, item, colour)
  }
  const own = colour(item.colour)
  const line =
    item.kind === 'bars'
      ? chart.addSeries(HistogramSeries, { ...common, color: own, base: 0 }, pane)
      : item.kind === 'area'
        ? chart.addSeries(
            AreaSeries,
            { ...common, lineWidth: item.width ?? 2, lineColor: own, topColor: faint(own, 0.35), bottomColor: faint(own, 0.05) },
            pane,
          )
        : chart.addSeries(
            LineSeries,
            { ...common, lineWidth: item.width ?? 2, color: own, lineStyle: item.isDashed ? LineStyle.Dashed : LineStyle.Solid },
            pane,
          )
  const points = reach
    ? reach.xs.map((x, index) => ({ x, value: reach.values[index]!, colour: undefined }))
    : item.points.map(({ x, value, colour }) => ({ x, value, colour }))
  line.setData(
    points.map(({ x, value, colour: its }) =>
      value === null ? { time: x } : { time: x, value, ...(its && { color: colour(its) }) },
    ) as never[],
  )
  return finish(line as unknown as Line, item, colour)
}

/** Height of a level's label in pixels. */
const LABEL_PX = 18

function finish(line: Line, { marks = [], levels = [], measure = plainMeasure() }: Series, colour: (name: Colour) => string): Line {
  const y = (value: number) => line.priceToCoordinate(value) ?? 0
  // Labels of levels would cover figures of the axis, which are therefore left out.
  const tickmarksFormatter = (values: readonly number[]) =>
    values.map(value => (levels.some(level => Math.abs(y(level.value) - y(value)) < LABEL_PX) ? '' : measure.axis(value)))
  if (levels.length > 0)
    line.applyOptions({ priceFormat: { type: 'custom', formatter: measure.axis, tickmarksFormatter, minMove: 0.01 } as never })
  const placed = [...marks].sort((a, b) => (a.x < b.x ? -1 : 1))
  if (placed.length > 0) createSeriesMarkers(line, placed.map(mark => ({ ...mark, time: mark.x, color: colour(mark.colour) })) as never[])
  for (const { value, text, colour: name } of levels)
    line.createPriceLine({
      price: value,
      title: text,
      color: colour(name),
      lineWidth: 1,
      lineStyle: LineStyle.Dotted,
      axisLabelVisible: true,
    })
  return line
}

/** @param own computed color in the form `rgb(…)` */
const faint = (own: string, alpha: number): string => own.replace(/^rgb\((.*)\)$/, (_, parts: string) => `rgba(${parts}, ${alpha})`)

function sharePanes(chart: Chart, { panes }: ChartSpec): void {
  const [, ...lower] = chart.panes()
  const shares = lower.map((_, at) => panes?.[at] ?? LOWER)
  for (const [index, pane] of chart.panes().entries())
    pane.setStretchFactor(index === 0 ? 1 - shares.reduce((a, b) => a + b, 0) : shares[index - 1]!)
}
