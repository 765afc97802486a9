import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useId, useRef } from 'preact/hooks'
import { THEME_CHANGED } from '../frame/theme-switch.ts'
import '../style/chart.css'
import type { DrawnChart } from './chart-draw.ts'
import { type ChartSpec, type ChartX, colourOf, positions, type Series } from './chart-series.ts'
import { Dated } from './dated.tsx'
import { DISPLAY_CHANGED } from './display.ts'
import type { Measure } from './figures.ts'
import { number, say } from './language.ts'
import { useSeen } from './seen.ts'
import { exactMeasure, plainMeasure } from './units.ts'

/** Loads the drawing code, about 60 kB. Call it early, so that code and rows load in parallel. */
export const fetchDrawing = () => import('./chart-draw.ts')

/** Writes a summary. Formats values only by measures that `as` returns. */
export type Summary = (as: (measure: Measure) => Measure) => string

export interface ChartProps {
  readonly spec: ChartSpec
  /**
   * Describes the chart in one or two sentences, also for screen readers. Names the first, last,
   * highest and lowest value. A function also writes the text with all digits, shown on hover.
   */
  readonly summary: string | Summary
  /** In pixels. Default: 300. */
  readonly height?: number
  /** Receives the drawn chart, for example to save a picture. */
  readonly onDrawn?: ((chart: DrawnChart) => void) | undefined
}

/**
 * Draws a chart when it becomes visible, and again when `spec` or the theme changes. On the
 * keyboard, arrow keys, Home and End move from day to day.
 * Create `spec` with `useMemo`, because each new object redraws the chart.
 */
export function Chart({ spec, summary, height = 300, onDrawn }: ChartProps) {
  const [place, id] = [useRef<HTMLDivElement>(null), useId()]
  const [drawn, printed] = [useRef<DrawnChart | null>(null), useRef<HTMLDivElement>(null)]
  const seen = useSeen(place)
  const [position, byKey] = [useSignal<ChartX | null>(null), useSignal(false)]

  /** Draws the chart for paper. Null until the drawing code is loaded. */
  const picture = useRef<(() => HTMLCanvasElement) | null>(null)
  useEffect(() => {
    // The browser prints as soon as this function returns.
    const add = () => printed.current?.replaceChildren(...(picture.current ? [picture.current()] : []))
    const remove = () => printed.current?.replaceChildren()
    addEventListener('beforeprint', add)
    addEventListener('afterprint', remove)
    return () => {
      removeEventListener('beforeprint', add)
      removeEventListener('afterprint', remove)
    }
  }, [])

  useEffect(() => {
    if (!seen.value) return
    let isRemoved = false
    const draw = async () => {
      const { drawChart, printedChart } = await fetchDrawing()
      if (isRemoved || !place.current) return
      picture.current = () => printedChart(spec, height)
      drawn.current?.remove()
      drawn.current = drawChart(place.current, spec, now => {
        if (!byKey.value) position.value = now
      })
      onDrawn?.(drawn.current)
    }
    const redraw = () => void draw()
    redraw()
    document.addEventListener(THEME_CHANGED, redraw)
    document.addEventListener(DISPLAY_CHANGED, redraw)
    return () => {
      isRemoved = true
      document.removeEventListener(THEME_CHANGED, redraw)
      document.removeEventListener(DISPLAY_CHANGED, redraw)
      drawn.current?.remove()
      drawn.current = null
      position.value = null
    }
  }, [spec, seen.value])

  const step = (event: KeyboardEvent) => {
    const all = positions(spec)
    const index = position.value === null ? all.length : all.indexOf(position.value)
    const next = { ArrowLeft: Math.max(index - 1, 0), ArrowRight: Math.min(index + 1, all.length - 1), Home: 0, End: all.length - 1 }[
      event.key
    ]
    if (next === undefined || all.length === 0) return
    event.preventDefault()
    byKey.value = true
    position.value = all[next]!
    drawn.current?.point(position.value)
  }
  const leave = () => {
    byKey.value = false
    position.value = null
    drawn.current?.point(null)
  }

  return (
    <div class="chart">
      <Legend spec={spec} position={position} isRead={byKey} />
      <div
        class="chart-place"
        ref={place}
        role="img"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move between the days of the chart.
        tabIndex={0}
        aria-labelledby={id}
        style={{ height: `${height}px` }}
        onKeyDown={step}
        onPointerMove={() => {
          byKey.value = false
        }}
        onBlur={leave}
      />
      <div class="on-paper" ref={printed} />
      <p class="chart-summary" id={id} title={typeof summary === 'string' ? undefined : summary(exactMeasure)}>
        <Dated text={typeof summary === 'string' ? summary : summary(measure => measure)} />
      </p>
    </div>
  )
}

interface LegendProps {
  readonly spec: ChartSpec
  readonly position: Signal<ChartX | null>
  readonly isRead: Signal<boolean>
}

/** Shows the values of the day under the crosshair. Without a crosshair, shows the last day. */
function Legend({ spec, position, isRead }: LegendProps) {
  const day = position.value ?? positions(spec).at(-1)
  if (day === undefined) return null
  return (
    <div class="chart-legend" aria-live={isRead.value ? 'polite' : 'off'}>
      <span>{typeof day === 'number' ? tenor(day) : day}</span>
      {spec.series.map(item => (
        <span key={item.label} title={exactAt(item, day)}>
          <span class="key" style={{ '--key': `var(--${colourOf(item, day)})` }} />
          {item.label} {valueAt(item, day)}
        </span>
      ))}
    </div>
  )
}

const tenor = (months: number): string => say({ en: `${number(months / 12)} years`, zh: `${number(months / 12)} 年` })

function valueAt(item: Series, day: ChartX): string {
  const { measure = plainMeasure() } = item
  if (item.kind !== 'candles') return measure.text(item.points.find(({ x }) => x === day)?.value)
  const { open, high, low, close } = item.points.find(({ x }) => x === day) ?? {}
  const { plain } = measure
  return say({
    en: `O ${plain(open)} H ${plain(high)} L ${plain(low)} C ${plain(close)}`,
    zh: `開 ${plain(open)} 高 ${plain(high)} 低 ${plain(low)} 收 ${plain(close)}`,
  })
}

const exactAt = (item: Series, day: ChartX): string | undefined =>
  item.kind === 'candles' ? undefined : item.measure?.exact(item.points.find(({ x }) => x === day)?.value)
