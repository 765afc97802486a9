import { useMemo } from 'preact/hooks'
import type { Row, Rows } from '../../api/client.ts'
import { Chart, type ChartProps } from '../../parts/chart.tsx'
import type { ChartSpec, Colour, Mark } from '../../parts/chart-series.ts'
import { say, type Words } from '../../parts/language.ts'
import { Panel } from '../../parts/panel.tsx'
import { priceMeasure } from '../../parts/units.ts'
import { pricesOf } from './prices.tsx'
import { since, view } from './range.ts'
import { oldestFirst, pointsOf, textIn } from './rows.ts'

interface Kind {
  readonly words: Words
  readonly letter: string
  readonly colour: Colour
}

const RISKS: Readonly<Record<string, Kind>> = {
  attention: { words: { en: 'Attention', zh: '注意' }, letter: 'A', colour: 'series-2' },
  disposition: { words: { en: 'Disposition', zh: '處置' }, letter: 'D', colour: 'up' },
  altered_trading: { words: { en: 'Altered trading', zh: '變更交易' }, letter: 'T', colour: 'series-3' },
  managed_stock: { words: { en: 'Managed stock', zh: '管理股票' }, letter: 'M', colour: 'series-4' },
  suspension: { words: { en: 'Suspension', zh: '停止買賣' }, letter: 'S', colour: 'series-5' },
  default_settlement: { words: { en: 'Settlement default', zh: '違約交割' }, letter: 'X', colour: 'series-5' },
}

const kindOf = (row: Row): Kind => {
  const type = textIn(row, 'risk_type') ?? ''
  return RISKS[type] ?? { words: { en: type, zh: type }, letter: '!', colour: 'series-2' }
}

const MOST_LISTED = 12

/** Shows the exchanges' risk flags as marks on the price. */
export function Risks({ symbol }: { readonly symbol: string }) {
  const { range } = view.value
  const { read } = pricesOf(symbol, { ...view.value, adjusted: false })
  return (
    <Panel
      id="risks"
      isWide
      // Most companies have no flags, so this panel is low.
      height={60}
      title={{ en: 'Risk events', zh: '風險事件' }}
      about={{
        en: 'Flags raised by the exchanges. Each mark is at the closing price of its day, in TWD.',
        zh: '圖上標記為交易所公告的注意、處置、變更交易等，位於當日收盤價（單位：元）。',
      }}
      reads={[{ slug: 'company-risk-events', query: { symbol, start_date: since(range), columns: 'event_date,risk_type,description' } }]}
      context={[read]}
      none={{
        en: 'A company without flags can still have risks.',
        zh: '沒有公告並不代表沒有風險。',
      }}
    >
      {([events, prices], picture) => <Flags events={events!} prices={prices!} onDrawn={picture} />}
    </Panel>
  )
}

interface FlagsProps {
  readonly events: Rows
  readonly prices: Rows
  readonly onDrawn: ChartProps['onDrawn']
}

function Flags({ events, prices, onDrawn }: FlagsProps) {
  const [closes, marks] = useMemo(() => {
    const shown = oldestFirst(prices).filter(row => textIn(row, 'trade_date')! >= (since(view.value.range) ?? ''))
    return [pointsOf(shown, 'trade_date', 'close'), oldestFirst(events).map(markOf)] as const
  }, [events, prices])
  const spec = useMemo<ChartSpec>(
    () => ({
      kind: 'time',
      series: [{ kind: 'line', label: say({ en: 'Close', zh: '收盤價' }), colour: 'dim', measure: priceMeasure(), points: closes, marks }],
    }),
    [closes, marks],
  )
  const counts = Object.values(RISKS)
    .map(({ words }) => ({ words, count: events.rows.filter(row => kindOf(row).words === words).length }))
    .filter(({ count }) => count > 0)
  const summary = counts.map(({ words, count }) => `${say(words)} ${count}`).join(say({ en: ', ', zh: '、' }))
  return (
    <>
      {closes.length > 0 && (
        <Chart
          spec={spec}
          height={240}
          onDrawn={onDrawn}
          summary={say({ en: `Flags raised: ${summary}.`, zh: `公告次數：${summary}。` })}
        />
      )}
      <ol class="events">
        {events.rows.slice(0, MOST_LISTED).map(row => (
          <li key={`${row['event_date']}${row['risk_type']}`}>
            <span class="number">{textIn(row, 'event_date')}</span> <strong>{say(kindOf(row).words)}</strong>{' '}
            <span lang="zh-Hant">{textIn(row, 'description')}</span>
          </li>
        ))}
      </ol>
      <More count={events.rows.length} />
    </>
  )
}

const markOf = (row: Row): Mark => {
  const { letter, colour } = kindOf(row)
  return { x: textIn(row, 'event_date')!, text: letter, colour, shape: 'circle', position: 'aboveBar' }
}

const More = ({ count }: { readonly count: number }) =>
  count > MOST_LISTED ? (
    <p class="dim">{say({ en: `${count - MOST_LISTED} more are in the table.`, zh: `其餘 ${count - MOST_LISTED} 筆見表格。` })}</p>
  ) : null
