import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useId, useRef } from 'preact/hooks'
import { THEME_CHANGED } from '../frame/theme-switch.ts'
import '../style/chart.css'
import type { DrawnChart } from './chart-draw.ts'
import { type At, type ChartSpec, colourOf, positions, type Series } from './chart-series.ts'
import { number, say } from './language.ts'
import { useSeen } from './seen.ts'

/** The part that draws, some 60 kB of script: fetched before the rows are there, it does not add to their time. */
export const fetchDrawing = () => import('./chart-draw.ts')

export interface ChartProps {
  readonly spec: ChartSpec
  /** The chart in a sentence or two, for those who do not see it: from, to, highest, lowest, last. It stands below the chart, too. */
  readonly summary: string
  /** Pixels; 300 when absent. */
  readonly height?: number
}

/**
 * A chart, drawn when it comes into sight and anew when what it shows or the theme changes. Values under the pointer stand in the legend;
 * with the keyboard, the left and right arrow, Home and End go from day to day and the legend is read aloud.
 *
 * Make `spec` with `useMemo`: a new one is a new drawing.
 */
export function Chart({ spec, summary, height = 300 }: ChartProps) {
  const [place, id] = [useRef<HTMLDivElement>(null), useId()]
  const drawn = useRef<DrawnChart | null>(null)
  const seen = useSeen(place)
  const [at, byKey] = [useSignal<At | null>(null), useSignal(false)]

  useEffect(() => {
    if (!seen.value) return
    let isGone = false
    const draw = async () => {
      const { drawChart } = await fetchDrawing()
      if (isGone || !place.current) return
      drawn.current?.remove()
      drawn.current = drawChart(place.current, spec, now => {
        if (!byKey.value) at.value = now
      })
    }
    const redraw = () => void draw()
    redraw()
    document.addEventListener(THEME_CHANGED, redraw)
    return () => {
      isGone = true
      document.removeEventListener(THEME_CHANGED, redraw)
      drawn.current?.remove()
      drawn.current = null
      at.value = null
    }
  }, [spec, seen.value])

  const step = (event: KeyboardEvent) => {
    const all = positions(spec)
    const index = at.value === null ? all.length : all.indexOf(at.value)
    const next = { ArrowLeft: Math.max(index - 1, 0), ArrowRight: Math.min(index + 1, all.length - 1), Home: 0, End: all.length - 1 }[
      event.key
    ]
    if (next === undefined || all.length === 0) return
    event.preventDefault()
    byKey.value = true
    at.value = all[next]!
    drawn.current?.point(at.value)
  }
  const leave = () => {
    byKey.value = false
    at.value = null
    drawn.current?.point(null)
  }

  return (
    <div class="chart">
      <Legend spec={spec} at={at} isRead={byKey} />
      <div
        class="chart-place"
        ref={place}
        role="img"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move over the days of a chart.
        tabIndex={0}
        aria-labelledby={id}
        style={{ height: `${height}px` }}
        onKeyDown={step}
        onPointerMove={() => {
          byKey.value = false
        }}
        onBlur={leave}
      />
      <p class="chart-summary" id={id}>
        {summary}
      </p>
    </div>
  )
}

interface LegendProps {
  readonly spec: ChartSpec
  readonly at: Signal<At | null>
  readonly isRead: Signal<boolean>
}

/** The values of a day, of the last one while none is pointed at. */
function Legend({ spec, at, isRead }: LegendProps) {
  const day = at.value ?? positions(spec).at(-1)
  if (day === undefined) return null
  return (
    <div class="chart-legend" aria-live={isRead.value ? 'polite' : 'off'}>
      <span>{typeof day === 'number' ? tenor(day) : day}</span>
      {spec.series.map(one => (
        <span key={one.label}>
          <span class="key" style={{ '--key': `var(--${colourOf(one)})` }} />
          {one.label} {valueAt(one, day)}
        </span>
      ))}
    </div>
  )
}

const tenor = (months: number): string => say({ en: `${number(months / 12)} years`, zh: `${number(months / 12)} 年` })

function valueAt(one: Series, day: At): string {
  const { digits = 2, unit = '' } = one
  const said = (value: number | null | undefined) => (value === null || value === undefined ? '–' : `${number(value, digits)}${unit}`)
  if (one.kind !== 'candles') return said(one.points.find(({ at }) => at === day)?.value)
  const { open, high, low, close } = one.points.find(({ at }) => at === day) ?? {}
  return say({
    en: `O ${said(open)} H ${said(high)} L ${said(low)} C ${said(close)}`,
    zh: `開 ${said(open)} 高 ${said(high)} 低 ${said(low)} 收 ${said(close)}`,
  })
}
