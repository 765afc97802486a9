import { useMemo } from 'preact/hooks'
import type { Rows } from '../../api/client.ts'
import { Chart } from '../../parts/chart.tsx'
import type { ChartSpec } from '../../parts/chart-series.ts'
import { number, say } from '../../parts/language.ts'
import { Panel } from '../../parts/panel.tsx'
import { numberIn, oldestFirst, pointsOf, textIn } from './rows.ts'

/** Quarterly earnings per share, and the revenue and income behind them. */
export const Earnings = ({ symbol }: { readonly symbol: string }) => (
  <Panel
    id="earnings"
    title={{ en: 'Earnings by quarter', zh: '每季獲利' }}
    about={{
      en: 'Single quarters. Above: earnings per share, TWD. Below: revenue, operating income and net income, TWD. All available quarters.',
      zh: '單季數字：上方為每股盈餘（元），下方為營業收入、營業利益與稅後淨利（元）。顯示所有已收錄季度。',
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
    {([earnings]) => <Quarters earnings={earnings!} />}
  </Panel>
)

const LINES = [
  { column: 'revenue', colour: 'series-1', words: { en: 'Revenue', zh: '營業收入' } },
  { column: 'operating_income', colour: 'series-2', words: { en: 'Operating income', zh: '營業利益' } },
  { column: 'net_income', colour: 'series-4', words: { en: 'Net income', zh: '稅後淨利' } },
] as const

function Quarters({ earnings }: { readonly earnings: Rows }) {
  const rows = useMemo(() => oldestFirst(earnings), [earnings])
  const spec = useMemo<ChartSpec>(
    () => ({
      kind: 'time',
      panes: [0.5],
      series: [
        {
          kind: 'bars',
          label: say({ en: 'EPS, TWD', zh: '每股盈餘（元）' }),
          colour: 'series-3',
          points: pointsOf(rows, 'period_end', 'eps'),
        },
        ...LINES.map(({ column, colour, words }) => ({
          kind: 'line' as const,
          label: say(words),
          colour,
          digits: 0,
          pane: 1,
          points: pointsOf(rows, 'period_end', column),
        })),
      ],
    }),
    [rows],
  )
  const last = rows.at(-1)
  const [period, eps, revenue, income] = [
    textIn(last, 'fiscal_period'),
    number(numberIn(last, 'eps')),
    number(numberIn(last, 'revenue')),
    number(numberIn(last, 'net_income')),
  ]
  return (
    <Chart
      spec={spec}
      height={340}
      summary={say({
        en: `${period}: EPS ${eps} TWD, revenue ${revenue} TWD, net income ${income} TWD. ${rows.length} quarters.`,
        zh: `${period}：每股盈餘 ${eps} 元，營業收入 ${revenue} 元，稅後淨利 ${income} 元。共 ${rows.length} 季。`,
      })}
    />
  )
}
