import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { Rows } from '../../api/client.ts'
import { Chart } from '../../parts/chart.tsx'
import type { ChartSpec, Level } from '../../parts/chart-series.ts'
import { Choice } from '../../parts/choice.tsx'
import { number, say } from '../../parts/language.ts'
import { Panel } from '../../parts/panel.tsx'
import { since, view } from './range.ts'
import { oldestFirst, pointsOf, pointsWithValue } from './rows.ts'

const RATIOS = [
  { column: 'pe_ratio', unit: '', words: { en: 'P/E', zh: '本益比' } },
  { column: 'pb_ratio', unit: '', words: { en: 'P/B', zh: '股價淨值比' } },
  { column: 'dividend_yield', unit: '%', words: { en: 'Yield', zh: '殖利率' } },
] as const

const BANDS = [10, 25, 50, 75, 90] as const

/** Price ratios within the percentiles of their own history. */
export function Valuation({ symbol }: { readonly symbol: string }) {
  const chosen = useSignal<(typeof RATIOS)[number]['column']>('pe_ratio')
  return (
    <Panel
      id="valuation"
      title={{ en: 'Valuation and its history', zh: '評價區間' }}
      about={{
        en: 'Computed by the exchange. Dotted lines are percentiles of the shown days, at least three years if available.',
        zh: '依交易所公布數值；虛線為所示期間的百分位數，若有收錄至少取三年。',
      }}
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
      {([valuation]) => <Bands valuation={valuation!} ratio={RATIOS.find(({ column }) => column === chosen.value)!} />}
    </Panel>
  )
}

function Bands({ valuation, ratio }: { readonly valuation: Rows; readonly ratio: (typeof RATIOS)[number] }) {
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
    return { kind: 'time', series: [{ kind: 'line', label, unit: ratio.unit, colour: 'series-1', points, levels }] }
  }, [points, sorted])
  return <Chart spec={spec} summary={sentence(label, ratio.unit, points, sorted)} />
}

/** A percentile, interpolated between two values. @param sorted ascending, not empty */
function percentile(sorted: readonly number[], percent: number): number {
  const place = ((sorted.length - 1) * percent) / 100
  const [below, above] = [sorted[Math.floor(place)]!, sorted[Math.ceil(place)]!]
  return below + (above - below) * (place - Math.floor(place))
}

function sentence(label: string, unit: string, points: ReturnType<typeof pointsOf>, sorted: readonly number[]): string {
  const last = pointsWithValue(points).at(-1)
  const idle = points.length - sorted.length
  if (!last) return say({ en: `${label}: the exchange publishes no value for these days.`, zh: `${label}：交易所於此期間未公布。` })
  const below = Math.round((100 * sorted.filter(value => value < last.value).length) / sorted.length)
  const [median, none] = [number(percentile(sorted, 50)), idle > 0]
  return say({
    en: `${label}: ${number(last.value)}${unit} on ${last.x}, higher than on ${below}% of ${sorted.length} days; median ${median}${unit}.${none ? ` No value on ${idle} days, for example after a loss.` : ''}`,
    zh: `${label}：${last.x} 為 ${number(last.value)}${unit}，高於 ${sorted.length} 日中的 ${below}%；中位數 ${median}${unit}。${none ? `${idle} 日沒有數值，例如虧損期間。` : ''}`,
  })
}
