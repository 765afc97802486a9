import { useMemo } from 'preact/hooks'
import type { Rows } from '../../api/client.ts'
import { Chart, type ChartProps } from '../../parts/chart.tsx'
import type { ChartSpec } from '../../parts/chart-series.ts'
import { display } from '../../parts/display.ts'
import { say } from '../../parts/language.ts'
import { Panel } from '../../parts/panel.tsx'
import { moneyMeasure, priceMeasure } from '../../parts/units.ts'
import { numberIn, oldestFirst, pointsOf, textIn } from './rows.ts'

export const Earnings = ({ symbol }: { readonly symbol: string }) => (
  <Panel
    id="earnings"
    title={{ en: 'Earnings by quarter', zh: '每季獲利' }}
    about={{
      en: 'Single quarters. Above: earnings per share. Below: revenue, operating income and net income. All available quarters.',
      zh: '單季數字：上方為每股盈餘，下方為營業收入、營業利益與稅後淨利。顯示所有已收錄季度。',
    }}
    reads={[
      {
        slug: 'earnings',
        path: '/v1/earnings',
        query: {
          symbol,
          report_type: 'quarterly',
          columns: 'fiscal_period,period_end,announcement_date,revenue,gross_profit,operating_income,net_income,eps',
        },
      },
    ]}
    none={{ en: 'Funds and warrants file no financial statements.', zh: '基金與權證沒有財務報表。' }}
  >
    {([earnings], picture) => <Quarters earnings={earnings!} onDrawn={picture} />}
  </Panel>
)

const LINES = [
  { column: 'revenue', colour: 'series-1', words: { en: 'Revenue', zh: '營業收入' } },
  { column: 'operating_income', colour: 'series-2', words: { en: 'Operating income', zh: '營業利益' } },
  { column: 'net_income', colour: 'series-4', words: { en: 'Net income', zh: '稅後淨利' } },
] as const

function Quarters({ earnings, onDrawn }: { readonly earnings: Rows; readonly onDrawn: ChartProps['onDrawn'] }) {
  const [settings, money] = [display.value, moneyMeasure()]
  const rows = useMemo(() => oldestFirst(earnings), [earnings])
  const spec = useMemo<ChartSpec>(
    () => ({
      kind: 'time',
      panes: [0.5],
      series: [
        {
          kind: 'bars',
          label: say({ en: 'EPS', zh: '每股盈餘' }),
          measure: priceMeasure(),
          colour: 'series-3',
          points: pointsOf(rows, 'period_end', 'eps'),
        },
        ...LINES.map(({ column, colour, words }) => ({
          kind: 'line' as const,
          label: say(words),
          colour,
          measure: money,
          pane: 1,
          points: pointsOf(rows, 'period_end', column),
        })),
      ],
    }),
    [rows, settings],
  )
  const last = rows.at(-1)
  const [period, eps] = [textIn(last, 'fiscal_period'), priceMeasure().text(numberIn(last, 'eps'))]
  return (
    <Chart
      spec={spec}
      onDrawn={onDrawn}
      summary={as => {
        const [revenue, income] = ['revenue', 'net_income'].map(column => as(money).text(numberIn(last, column)))
        return say({
          en: `${period}: EPS ${eps}, revenue ${revenue}, net income ${income}. ${rows.length} quarters.`,
          zh: `${period}：每股盈餘 ${eps}，營業收入 ${revenue}，稅後淨利 ${income}。共 ${rows.length} 季。`,
        })
      }}
    />
  )
}
