import { useMemo } from 'preact/hooks'
import type { Rows } from '../../api/client.ts'
import { Chart, type ChartProps, type Summary } from '../../parts/chart.tsx'
import type { ChartSpec } from '../../parts/chart-series.ts'
import { display } from '../../parts/display.ts'
import { say } from '../../parts/language.ts'
import { Panel } from '../../parts/panel.tsx'
import { sharesMeasure } from '../../parts/units.ts'
import { since, view } from './range.ts'
import { oldestFirst, pointsOf, rangeSentence } from './rows.ts'

export function Lending({ symbol }: { readonly symbol: string }) {
  const start_date = since(view.value.range)
  return (
    <Panel
      id="margin"
      height={505}
      title={{ en: 'Margin trading and securities lending', zh: '融資融券與借券賣出' }}
      about={{
        en: 'Balances at the end of each day. Right: margin purchases. Left: short sales on margin and short sales of borrowed shares.',
        zh: '每日餘額：右軸為融資，左軸為融券與借券賣出。',
      }}
      since={start_date}
      reads={[
        {
          slug: 'margin-trading',
          query: { symbol, start_date, columns: 'trade_date,margin_buy,margin_sell,margin_balance,short_sell,short_buy,short_balance' },
        },
        { slug: 'securities-lending', query: { symbol, start_date, columns: 'trade_date,sold,returned,adjusted,balance' } },
      ]}
      none={{ en: 'The security may not be eligible for margin trading.', zh: '此證券可能不得為融資融券交易。' }}
    >
      {([margin, lending], picture) => <Balances margin={margin!} lending={lending!} onDrawn={picture} />}
    </Panel>
  )
}

interface BalancesProps {
  readonly margin: Rows
  readonly lending: Rows
  readonly onDrawn: ChartProps['onDrawn']
}

function Balances({ margin, lending, onDrawn }: BalancesProps) {
  const [settings, measure] = [display.value, sharesMeasure()]
  const [bought, short, borrowed] = useMemo(() => {
    const rows = oldestFirst(margin)
    return [
      pointsOf(rows, 'trade_date', 'margin_balance'),
      pointsOf(rows, 'trade_date', 'short_balance'),
      pointsOf(oldestFirst(lending), 'trade_date', 'balance'),
    ] as const
  }, [margin, lending])
  const [onMargin, soldShort, ofBorrowed] = [
    say({ en: 'Margin purchases', zh: '融資餘額' }),
    say({ en: 'Short sales on margin', zh: '融券餘額' }),
    say({ en: 'Short sales of borrowed shares', zh: '借券賣出餘額' }),
  ]
  const spec = useMemo<ChartSpec>(
    () => ({
      kind: 'time',
      series: [
        { kind: 'line', label: onMargin, colour: 'up', measure, points: bought },
        { kind: 'line', label: soldShort, colour: 'series-1', measure, scale: 'left', points: short },
        { kind: 'line', label: ofBorrowed, colour: 'series-2', measure, scale: 'left', points: borrowed },
      ],
    }),
    [bought, short, borrowed, settings],
  )
  const summary: Summary = as =>
    [
      rangeSentence(onMargin, bought, as(measure)),
      rangeSentence(soldShort, short, as(measure)),
      rangeSentence(ofBorrowed, borrowed, as(measure)),
    ].join(say({ en: ' ', zh: '' }))
  return <Chart spec={spec} onDrawn={onDrawn} summary={summary} />
}
