import { useMemo } from 'preact/hooks'
import type { Rows } from '../../api/client.ts'
import { Chart } from '../../parts/chart.tsx'
import type { ChartSpec } from '../../parts/chart-series.ts'
import { number, say, signed } from '../../parts/language.ts'
import { Panel } from '../../parts/panel.tsx'
import { since, view } from './range.ts'
import { numberIn, oldestFirst, pointsOf, textIn } from './rows.ts'

/** Monthly revenue with its growth from the previous month and year. */
export const Revenue = ({ symbol }: { readonly symbol: string }) => (
  <Panel
    id="revenue"
    title={{ en: 'Monthly revenue', zh: '月營收' }}
    about={{
      en: 'Above: revenue per month, TWD. Below: growth over the same month of the previous year, percent. At least one year.',
      zh: '上方為單月營收（元），下方為年增率（%）。至少顯示一年。',
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
    {([revenue]) => <Months revenue={revenue!} />}
  </Panel>
)

function Months({ revenue }: { readonly revenue: Rows }) {
  const rows = useMemo(() => oldestFirst(revenue), [revenue])
  const spec = useMemo<ChartSpec>(
    () => ({
      kind: 'time',
      panes: [0.4],
      series: [
        {
          kind: 'bars',
          label: say({ en: 'Revenue, TWD', zh: '營收（元）' }),
          colour: 'series-1',
          digits: 0,
          points: pointsOf(rows, 'period_end', 'revenue'),
        },
        {
          kind: 'line',
          label: say({ en: 'Growth over previous year', zh: '年增率' }),
          unit: '%',
          pane: 1,
          colour: 'series-2',
          points: pointsOf(rows, 'period_end', 'yoy_pct'),
        },
      ],
    }),
    [rows],
  )
  const last = rows.at(-1)
  const [month, value] = [textIn(last, 'month'), number(numberIn(last, 'revenue'))]
  const [onMonth, onYear, soFar] = ['mom_pct', 'yoy_pct', 'cumulative_yoy_pct'].map(column => percent(numberIn(last, column)))
  return (
    <Chart
      spec={spec}
      summary={say({
        en: `${month}: ${value} TWD, ${onMonth} from the previous month, ${onYear} from the previous year; year to date ${soFar}. ${rows.length} months.`,
        zh: `${month}：${value} 元，月增率 ${onMonth}，年增率 ${onYear}；累計年增率 ${soFar}。共 ${rows.length} 個月。`,
      })}
    />
  )
}

const percent = (value: number | null): string => (value === null ? '–' : `${signed(value)}%`)
