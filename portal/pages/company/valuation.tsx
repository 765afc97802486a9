import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { Rows } from '../../api/client.ts'
import { Chart, type ChartProps } from '../../parts/chart.tsx'
import type { ChartSpec, Level } from '../../parts/chart-series.ts'
import { Choice } from '../../parts/choice.tsx'
import type { Measure } from '../../parts/figures.ts'
import { say } from '../../parts/language.ts'
import { Panel } from '../../parts/panel.tsx'
import { percentMeasure, plainMeasure } from '../../parts/units.ts'
import { since, view } from './range.ts'
import { oldestFirst, pointsOf, pointsWithValue } from './rows.ts'

const RATIOS = [
  { column: 'pe_ratio', words: { en: 'P/E', zh: '本益比' } },
  { column: 'pb_ratio', words: { en: 'P/B', zh: '股價淨值比' } },
  { column: 'dividend_yield', words: { en: 'Yield', zh: '殖利率' } },
] as const

const measureOf = (column: (typeof RATIOS)[number]['column']): Measure => (column === 'dividend_yield' ? percentMeasure() : plainMeasure())

const BANDS = [10, 25, 50, 75, 90] as const

export function Valuation({ symbol }: { readonly symbol: string }) {
  const chosen = useSignal<(typeof RATIOS)[number]['column']>('pe_ratio')
  return (
    <Panel
      id="valuation"
      title={{ en: 'Valuation and its history', zh: '評價區間' }}
      about={{
        en: 'Computed by the exchange. Dotted lines are percentiles of the shown days, at least three years if available.',
        zh: '依交易所公布數值；虛線為所選期間的百分位數，資料足夠時至少取最近三年。',
      }}
      since={since(view.value.range, '3Y')}
      reads={[
        {
          slug: 'valuation',
          query: {
            symbol,
            start_date: since(view.value.range, '3Y'),
            columns: 'trade_date,pe_ratio,pb_ratio,dividend_yield,fiscal_period',
          },
        },
      ]}
      none={{ en: 'Funds have no price ratios.', zh: '基金沒有這些比率。' }}
      options={
        <Choice
          label={say({ en: 'Ratio', zh: '比率' })}
          options={RATIOS.map(({ column, words }) => ({ value: column, label: say(words) }))}
          chosen={chosen.value}
          onChoose={column => {
            chosen.value = column
          }}
        />
      }
    >
      {([valuation], picture) => (
        <Bands valuation={valuation!} ratio={RATIOS.find(({ column }) => column === chosen.value)!} onDrawn={picture} />
      )}
    </Panel>
  )
}

interface BandsProps {
  readonly valuation: Rows
  readonly ratio: (typeof RATIOS)[number]
  readonly onDrawn: ChartProps['onDrawn']
}

function Bands({ valuation, ratio, onDrawn }: BandsProps) {
  const label = say(ratio.words)
  const points = useMemo(() => pointsOf(oldestFirst(valuation), 'trade_date', ratio.column), [valuation, ratio])
  const sorted = useMemo(
    () =>
      pointsWithValue(points)
        .map(({ value }) => value)
        .sort((a, b) => a - b),
    [points],
  )
  const spec = useMemo<ChartSpec>(() => {
    const levels: readonly Level[] =
      sorted.length === 0
        ? []
        : BANDS.map(band => ({ value: percentile(sorted, band), text: `P${band}`, colour: band === 50 ? 'text' : 'dim' }))
    return { kind: 'time', series: [{ kind: 'line', label, measure: measureOf(ratio.column), colour: 'series-1', points, levels }] }
  }, [points, sorted])
  return <Chart spec={spec} onDrawn={onDrawn} summary={sentence(label, measureOf(ratio.column), points, sorted)} />
}

/**
 * Returns a percentile, interpolated between two values.
 *
 * @param sorted values in ascending order, at least one
 */
function percentile(sorted: readonly number[], percent: number): number {
  const place = ((sorted.length - 1) * percent) / 100
  const [below, above] = [sorted[Math.floor(place)]!, sorted[Math.ceil(place)]!]
  return below + (above - below) * (place - Math.floor(place))
}

function sentence(label: string, { text }: Measure, points: ReturnType<typeof pointsOf>, sorted: readonly number[]): string {
  const last = pointsWithValue(points).at(-1)
  const idle = points.length - sorted.length
  if (!last) return say({ en: `${label}: the exchange publishes no value for these days.`, zh: `${label}：交易所於此期間未公布。` })
  const below = Math.round((100 * sorted.filter(value => value < last.value).length) / sorted.length)
  const [median, none] = [text(percentile(sorted, 50)), idle > 0]
  return say({
    en: `${label}: ${text(last.value)} on ${last.x}, higher than on ${below}% of ${sorted.length} days; median ${median}.${none ? ` No value on ${idle} days, for example after a loss.` : ''}`,
    zh: `${label}：${last.x} 為 ${text(last.value)}，高於 ${sorted.length} 日中的 ${below}%；中位數 ${median}。${none ? `${idle} 日沒有數值，例如虧損期間。` : ''}`,
  })
}
