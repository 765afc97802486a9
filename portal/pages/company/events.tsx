import { useMemo } from 'preact/hooks'
import type { Row, Rows } from '../../api/client.ts'
import { Chart } from '../../parts/chart.tsx'
import type { ChartSpec, Colour, Mark } from '../../parts/chart-series.ts'
import { number, say, type Words } from '../../parts/language.ts'
import { Panel } from '../../parts/panel.tsx'
import { tradedPrices } from './prices.tsx'
import { since, view } from './range.ts'
import { numberIn, oldestFirst, pointsOf, textIn } from './rows.ts'

interface Kind {
  readonly words: Words
  /** Letter shown next to the price. */
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

/** Maximum number of listed events; the table has all. */
const MOST_LISTED = 12

/** The exchanges' risk flags, marked on the day's price. */
export function Risks({ symbol }: { readonly symbol: string }) {
  const { range } = view.value
  return (
    <Panel
      id="risks"
      isWide
      title={{ en: 'Risk events', zh: '風險事件' }}
      about={{
        en: 'Flags raised by the exchanges, marked on the close of the day, TWD.',
        zh: '交易所公告的注意、處置與變更交易等，標示於當日收盤價（元）。',
      }}
      reads={[{ slug: 'company-risk-events', query: { symbol, start_date: since(range), columns: 'event_date,risk_type,description' } }]}
      context={[tradedPrices(symbol, range)]}
      none={{
        en: 'No flags were captured in this period. This does not mean that there is no risk.',
        zh: '此期間未收錄任何公告，並不代表沒有風險。',
      }}
    >
      {([events, prices]) => <Flags events={events!} prices={prices!} />}
    </Panel>
  )
}

function Flags({ events, prices }: { readonly events: Rows; readonly prices: Rows }) {
  const [closes, marks] = useMemo(
    () => [pointsOf(oldestFirst(prices), 'trade_date', 'close'), oldestFirst(events).map(markOf)] as const,
    [events, prices],
  )
  const spec = useMemo<ChartSpec>(
    () => ({ kind: 'time', series: [{ kind: 'line', label: say({ en: 'Close', zh: '收盤價' }), colour: 'dim', points: closes, marks }] }),
    [closes, marks],
  )
  const counts = Object.values(RISKS)
    .map(({ words }) => ({ words, count: events.rows.filter(row => kindOf(row).words === words).length }))
    .filter(({ count }) => count > 0)
  const summary = counts.map(({ words, count }) => `${say(words)} ${count}`).join(say({ en: ', ', zh: '、' }))
  return (
    <>
      {closes.length > 0 && (
        <Chart spec={spec} height={240} summary={say({ en: `Flags raised: ${summary}.`, zh: `公告次數：${summary}。` })} />
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

const DIVIDEND_KINDS: Readonly<Record<string, Words>> = {
  dividend: { en: 'ex-dividend', zh: '除息' },
  rights: { en: 'ex-rights', zh: '除權' },
  rights_and_dividend: { en: 'ex-rights and ex-dividend', zh: '除權息' },
}

const CHANGES: Readonly<Record<string, Words>> = {
  capital_reduction: { en: 'capital reduction', zh: '減資' },
  par_value_change: { en: 'par value change', zh: '變更面額' },
  etf_split: { en: 'split', zh: '分割' },
  etf_reverse_split: { en: 'reverse split', zh: '反分割' },
}

/** Dividends and rights per ex-day, and capital changes. */
export const Dividends = ({ symbol }: { readonly symbol: string }) => (
  <Panel
    id="dividends"
    title={{ en: 'Dividends, rights and capital changes', zh: '除權息與減資' }}
    about={{
      en: 'Dividends and value of rights on each ex-day, TWD per share. All available ex-days.',
      zh: '每次除權息的權值加息值（元／股）。顯示所有已收錄的除權息日。',
    }}
    reads={[
      {
        slug: 'ex-rights',
        query: { symbol, columns: 'ex_date,kind,value,cash_dividend,bonus_shares_per_thousand,close_before,reference_price' },
      },
      { slug: 'capital-changes', query: { symbol, columns: 'resume_date,change_type,reason,close_before,reference_price,exchange_ratio' } },
    ]}
    none={{ en: 'No ex-days on record.', zh: '查無除權息紀錄。' }}
  >
    {([days, changes]) => (
      <>
        {days!.rows.length > 0 && <ExDays days={days!} />}
        {changes!.rows.map(row => (
          <p key={textIn(row, 'resume_date')}>
            {textIn(row, 'resume_date')}: {say(CHANGES[textIn(row, 'change_type') ?? ''] ?? { en: 'capital change', zh: '資本變動' })},{' '}
            {number(numberIn(row, 'close_before'))} → {number(numberIn(row, 'reference_price'))} {say({ en: 'TWD', zh: '元' })}
          </p>
        ))}
      </>
    )}
  </Panel>
)

function ExDays({ days }: { readonly days: Rows }) {
  const points = useMemo(() => pointsOf(oldestFirst(days), 'ex_date', 'value'), [days])
  const spec = useMemo<ChartSpec>(
    () => ({ kind: 'time', series: [{ kind: 'bars', label: say({ en: 'TWD per share', zh: '元／股' }), colour: 'series-4', points }] }),
    [points],
  )
  const last = days.rows[0]
  const [day, kind] = [textIn(last, 'ex_date'), textIn(last, 'kind') ?? '']
  const [value, cash] = [number(numberIn(last, 'value')), number(numberIn(last, 'cash_dividend'))]
  const what = say(DIVIDEND_KINDS[kind] ?? { en: kind, zh: kind })
  return (
    <Chart
      spec={spec}
      height={220}
      summary={say({
        en: `Last: ${day}, ${what}, ${value} TWD per share, of which ${cash} in cash. ${points.length} ex-days.`,
        zh: `最近一次：${day}，${what}，每股 ${value} 元，其中現金 ${cash} 元。共 ${points.length} 次。`,
      })}
    />
  )
}
