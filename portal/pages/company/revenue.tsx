import { useMemo } from 'preact/hooks'
import type { Rows } from '../../api/client.ts'
import { Chart, type ChartProps } from '../../parts/chart.tsx'
import type { ChartSpec } from '../../parts/chart-series.ts'
import { display } from '../../parts/display.ts'
import { say } from '../../parts/language.ts'
import { Panel } from '../../parts/panel.tsx'
import { changeText, moneyMeasure, percentMeasure } from '../../parts/units.ts'
import { since, view } from './range.ts'
import { numberIn, oldestFirst, pointsOf, textIn } from './rows.ts'

export const Revenue = ({ symbol }: { readonly symbol: string }) => (
  <Panel
    id="revenue"
    title={{ en: 'Monthly revenue', zh: '月營收' }}
    about={{
      en: 'Above: revenue per month. Below: growth over the same month of the previous year. At least one year.',
      zh: '上方為單月營收，下方為年增率；圖表至少顯示最近 12 個月。',
    }}
    reads={[
      {
        slug: 'monthly-revenue',
        query: {
          symbol,
          start_date: since(view.value.range, '1Y'),
          columns: 'month,period_end,revenue,mom_pct,yoy_pct,cumulative_revenue,cumulative_yoy_pct,announced_by,remark',
        },
      },
    ]}
    none={{ en: 'Funds and warrants report no revenue.', zh: '基金與權證不申報營收。' }}
  >
    {([revenue], picture) => <Months revenue={revenue!} onDrawn={picture} />}
  </Panel>
)

function Months({ revenue, onDrawn }: { readonly revenue: Rows; readonly onDrawn: ChartProps['onDrawn'] }) {
  const [settings, money] = [display.value, moneyMeasure()]
  const rows = useMemo(() => oldestFirst(revenue), [revenue])
  const spec = useMemo<ChartSpec>(
    () => ({
      kind: 'time',
      panes: [0.4],
      series: [
        {
          kind: 'bars',
          label: say({ en: 'Revenue', zh: '營收' }),
          colour: 'series-1',
          measure: money,
          points: pointsOf(rows, 'period_end', 'revenue'),
        },
        {
          kind: 'line',
          label: say({ en: 'Growth over previous year', zh: '年增率' }),
          measure: percentMeasure(),
          pane: 1,
          colour: 'series-2',
          points: pointsOf(rows, 'period_end', 'yoy_pct'),
        },
      ],
    }),
    [rows, settings],
  )
  const last = rows.at(-1)
  const month = textIn(last, 'month')
  const [onMonth, onYear, soFar] = ['mom_pct', 'yoy_pct', 'cumulative_yoy_pct'].map(column => changeText(numberIn(last, column)))
  return (
    <Chart
      spec={spec}
      onDrawn={onDrawn}
      summary={as => {
        const value = as(money).text(numberIn(last, 'revenue'))
        return say({
          en: `${month}: ${value}, ${onMonth} from the previous month, ${onYear} from the previous year; year to date ${soFar}. ${rows.length} months.`,
          zh: `${month}：${value}，月增率 ${onMonth}，年增率 ${onYear}；累計年增率 ${soFar}。共 ${rows.length} 個月。`,
        })
      }}
    />
  )
}
