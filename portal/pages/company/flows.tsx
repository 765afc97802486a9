import { useMemo } from 'preact/hooks'
import type { Row, Rows } from '../../api/client.ts'
import { Chart, type ChartProps } from '../../parts/chart.tsx'
import type { ChartSpec } from '../../parts/chart-series.ts'
import { Choice } from '../../parts/choice.tsx'
import { display } from '../../parts/display.ts'
import type { Measure } from '../../parts/figures.ts'
import { say, type Words } from '../../parts/language.ts'
import { Panel } from '../../parts/panel.tsx'
import { cumulative, type Period, periodOf, sums } from '../../parts/periods.ts'
import { priceMeasure, sharesMeasure } from '../../parts/units.ts'
import { pricesOf } from './prices.tsx'
import { INVESTORS, type Investor, show, since, view } from './range.ts'
import { numberIn, oldestFirst, textIn } from './rows.ts'

const COLUMNS: Readonly<Record<Investor, { readonly column: string; readonly words: Words }>> = {
  total: { column: 'institutional_net_buy_total', words: { en: 'All three', zh: '三大法人' } },
  foreign: { column: 'foreign_net_buy', words: { en: 'Foreign investors', zh: '外資' } },
  trust: { column: 'investment_trust_net_buy', words: { en: 'Investment trusts', zh: '投信' } },
  dealer: { column: 'dealer_net_buy', words: { en: 'Dealers', zh: '自營商' } },
}

/** Shows net purchases of institutional investors, their running total, and the price. */
export function Flows({ symbol }: { readonly symbol: string }) {
  const shown = view.value
  const { range, investor } = shown
  const period: Period = range === '3Y' || range === 'all' ? 'week' : 'day'
  const { read, instead } = pricesOf(symbol, shown)
  return (
    <Panel
      id="institutional"
      isWide
      height={490}
      title={{ en: 'Institutional investors', zh: '三大法人買賣超' }}
      about={
        period === 'week'
          ? {
              en: 'Price. Below: net buying per week (bars, right axis) and its running total (line, left axis).',
              zh: '上方為股價；下方長條為每週買賣超（右軸），曲線為期間累計（左軸）。',
            }
          : {
              en: 'Price. Below: net buying per day (bars, right axis) and its running total (line, left axis).',
              zh: '上方為股價；下方長條為每日買賣超（右軸），曲線為期間累計（左軸）。',
            }
      }
      since={since(range)}
      reads={[
        {
          slug: 'institutional-positioning',
          query: {
            symbol,
            start_date: since(range),
            columns: `trade_date,${INVESTORS.map(one => COLUMNS[one].column).join(',')},buy_streak,sell_streak`,
          },
        },
      ]}
      context={[read]}
      contextInstead={instead && [instead]}
      none={{ en: 'No institutional trades in this period.', zh: '此期間沒有法人買賣紀錄。' }}
      options={
        <div class="options">
          <Choice
            label={say({ en: 'Investors', zh: '法人別' })}
            options={INVESTORS.map(one => ({ value: one, label: say(COLUMNS[one].words) }))}
            chosen={investor}
            onChoose={chosen => show({ investor: chosen })}
          />
        </div>
      }
    >
      {([flows, prices], picture) => <NetBuying flows={flows!} prices={prices!} investor={investor} period={period} onDrawn={picture} />}
    </Panel>
  )
}

interface NetBuyingProps {
  readonly flows: Rows
  readonly prices: Rows
  readonly investor: Investor
  readonly period: Period
  readonly onDrawn: ChartProps['onDrawn']
}

function NetBuying({ flows, prices, investor, period, onDrawn }: NetBuyingProps) {
  const settings = display.value
  const rows = useMemo(() => oldestFirst(flows), [flows])
  const spec = useMemo(
    () => chartOf(rows, oldestFirst(prices), COLUMNS[investor].column, period),
    [rows, prices, investor, period, settings],
  )
  return <Chart spec={spec} height={380} onDrawn={onDrawn} summary={as => sentence(rows.at(-1), as(sharesMeasure()))} />
}

function chartOf(rows: readonly Row[], prices: readonly Row[], column: string, period: Period): ChartSpec {
  const volume = sharesMeasure()
  const days = rows.map(row => ({ x: textIn(row, 'trade_date')!, value: numberIn(row, column) }))
  const net = sums(days, period)
  const closes = new Map(prices.map(row => [periodOf(textIn(row, 'trade_date')!, period), numberIn(row, 'close')]))
  return {
    kind: 'time',
    panes: [0.5],
    series: [
      {
        kind: 'line',
        label: say({ en: 'Close', zh: '收盤價' }),
        colour: 'text',
        measure: priceMeasure(),
        points: net.map(({ x }) => ({ x, value: closes.get(periodOf(x, period)) ?? null })),
      },
      {
        kind: 'bars',
        label: say({ en: 'Net buying', zh: '買賣超' }),
        colour: 'up',
        measure: volume,
        pane: 1,
        points: net.map(({ x, value }) => ({ x, value, colour: (value ?? 0) < 0 ? 'down' : 'up' })),
      },
      {
        kind: 'line',
        label: say({ en: 'Running total', zh: '累計' }),
        colour: 'accent',
        measure: volume,
        scale: 'left',
        pane: 1,
        points: cumulative(net),
      },
    ],
  }
}

/**
 * Returns the length of the streak that ends on this row. Positive for buying, negative for
 * selling, 0 for neither.
 */
const streakOf = (row: Row): number => (numberIn(row, 'buy_streak') ?? 0) - (numberIn(row, 'sell_streak') ?? 0)

/** Describes the last day: net purchases per group, and the current streak. */
function sentence(row: Row | undefined, { signed }: Measure): string {
  if (!row) return ''
  const net = (one: Investor) => signed(numberIn(row, COLUMNS[one].column))
  const legs = INVESTORS.filter(one => one !== 'total').map(one => `${say(COLUMNS[one].words)} ${net(one)}`)
  const days = streakOf(row)
  const streak =
    Math.abs(days) < 2
      ? ''
      : say({
          en: `, net ${days > 0 ? 'buying' : 'selling'} for ${Math.abs(days)} days in a row`,
          zh: `，連續 ${Math.abs(days)} 日${days > 0 ? '買超' : '賣超'}`,
        })
  const day = textIn(row, 'trade_date')
  return say({
    en: `Net buying on ${day}: ${legs.join('; ')}; total ${net('total')}${streak}.`,
    zh: `${day} 買賣超：${legs.join('、')}，合計 ${net('total')}${streak}。`,
  })
}
