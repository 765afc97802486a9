import '../../frame/main.tsx'
import '../../style/companies.css'
import type { Signal } from '@preact/signals'
import type { Row } from '../../api/client.ts'
import { useLastDay, useTradingDays } from '../../api/days.ts'
import { useNames } from '../../api/names.ts'
import { useReads } from '../../api/reads.ts'
import { DayPicker } from '../../parts/day-picker.tsx'
import { linkTo, number, say, type Words } from '../../parts/language.ts'
import { MarketPage } from '../../parts/market-page.tsx'
import { mount } from '../../parts/mount.tsx'
import { Panel } from '../../parts/panel.tsx'
import { sharesMeasure } from '../../parts/units.ts'
import { useUrlState } from '../../parts/url-state.ts'

const MOST = 20

/** Orders of a ranking. Streaks are those of the shown securities. */
type Order = 'net' | 'streak'

/** Groups of investors, keyed by the column of their net purchases in shares. */
const INVESTORS = {
  institutional_net_buy_total: { en: 'All institutions', zh: '三大法人合計' },
  foreign_net_buy: { en: 'Foreign investors', zh: '外資' },
  investment_trust_net_buy: { en: 'Investment trusts', zh: '投信' },
  dealer_net_buy: { en: 'Dealers', zh: '自營商' },
} as const satisfies Readonly<Record<string, Words>>

type Column = keyof typeof INVESTORS

const SLUG = 'institutional-positioning'

/** Shows the largest net purchases and sales of a day. */
function Institutional() {
  const last = useLastDay(SLUG)
  const days = useTradingDays(last.value)
  const [chosen, by] = [useUrlState('day', ''), useUrlState<Column>('by', 'institutional_net_buy_total')]
  const order = useUrlState<Order>('sort', 'net')
  const day = days.value.findLast(one => chosen.value === '' || one <= chosen.value) ?? last.value ?? ''
  const column = by.value in INVESTORS ? by.value : 'institutional_net_buy_total'
  const read = (order: '' | '-', range: string) => ({
    slug: SLUG,
    path: `/v2/datasets/${SLUG}/cross-section`,
    query: {
      date: day,
      sort: `${order}${column}`,
      range: `${column}:${range}`,
      columns: `trade_date,ticker,market,${column},buy_streak,sell_streak`,
      limit: MOST,
    },
  })
  const who = INVESTORS[column]
  return (
    <MarketPage title={{ en: 'Institutional investors', zh: '三大法人買賣超' }} isReady={day !== ''}>
      {day !== '' && (
        <>
          <DayPicker
            label={say({ en: 'Day', zh: '日期' })}
            days={days.value}
            day={day}
            onPick={next => {
              chosen.value = next
            }}
          />
          <fieldset class="day-picker">
            <legend class="visually-hidden">{say({ en: 'Investors', zh: '法人別' })}</legend>
            {(Object.keys(INVESTORS) as Column[]).map(name => (
              <button
                key={name}
                type="button"
                aria-pressed={name === column}
                onClick={() => {
                  by.value = name
                }}
              >
                {say(INVESTORS[name])}
              </button>
            ))}
          </fieldset>
          <div class="two">
            <Panel
              id="buyers"
              hasChart={false}
              height={860}
              title={{ en: `Top net buying: ${who.en}`, zh: `買超排行：${who.zh}` }}
              about={{ en: `Net buying on ${day}.`, zh: `${day} 買超。` }}
              reads={[read('-', '1..')]}
            >
              {([answer]) => <Ranking rows={answer!.rows} column={column} day={day} order={order} />}
            </Panel>
            <Panel
              id="sellers"
              hasChart={false}
              height={860}
              title={{ en: `Top net selling: ${who.en}`, zh: `賣超排行：${who.zh}` }}
              about={{ en: `Net selling on ${day}.`, zh: `${day} 賣超。` }}
              reads={[read('', '..-1')]}
            >
              {([answer]) => <Ranking rows={answer!.rows} column={column} day={day} order={order} />}
            </Panel>
          </div>
        </>
      )}
    </MarketPage>
  )
}

interface RankingProps {
  readonly rows: readonly Row[]
  readonly column: Column
  readonly day: string
  readonly order: Signal<Order>
}

/** Lists securities, each with a bar. The largest value has the longest bar. */
function Ranking({ rows, column, day, order }: RankingProps) {
  const tickers = rows.map(({ ticker }) => String(ticker))
  const listed = useListedNames(tickers, day)
  const [nameOf, volume] = [useNames(tickers, { areInRows: true }), sharesMeasure()]
  // Streaks exist only for all three groups together.
  const hasStreaks = column === 'institutional_net_buy_total'
  const most = Math.max(...rows.map(row => Math.abs(Number(row[column]))), 1)
  // At most one of the two streaks is above zero.
  const streakOf = (row: Row) => Number(row['buy_streak']) + Number(row['sell_streak'])
  const isByStreak = hasStreaks && order.value === 'streak'
  const sorted = isByStreak ? rows.toSorted((a, b) => streakOf(b) - streakOf(a)) : rows
  const head = (by: Order, words: Words) => {
    const isSorted = isByStreak === (by === 'streak')
    return (
      <th scope="col" class="number" aria-sort={isSorted ? 'descending' : undefined}>
        {hasStreaks ? (
          <button type="button" class="sort" onClick={() => (order.value = by)}>
            {say(words)}
            {'\u00a0'}
            <span aria-hidden="true">{isSorted ? '▼' : '↕'}</span>
          </button>
        ) : (
          say(words)
        )}
      </th>
    )
  }
  return (
    <table class="ranking">
      <thead>
        <tr>
          <th scope="col">{say({ en: 'Security', zh: '證券' })}</th>
          {head('net', { en: `Net, ${volume.unit}`, zh: `買賣超（${volume.unit}）` })}
          {hasStreaks && head('streak', { en: 'Streak, days', zh: '連續日數' })}
        </tr>
      </thead>
      <tbody>
        {sorted.map(row => {
          const [ticker, value] = [String(row['ticker']), Number(row[column])]
          return (
            <tr key={ticker}>
              <th scope="row">
                <a href={linkTo(`/company/${encodeURIComponent(ticker)}`)}>
                  {nameOf(ticker, listed.get(ticker))} <code>{ticker}</code>
                </a>
                <span class={value > 0 ? 'bar up' : 'bar down'} style={{ width: `${(Math.abs(value) / most) * 100}%` }} />
              </th>
              <td class="number" title={volume.exact(value)}>
                {volume.plain(value)}
              </td>
              {hasStreaks && <td class="number">{number(streakOf(row), 0)}</td>}
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

function useListedNames(tickers: readonly string[], day: string): ReadonlyMap<string, string> {
  const query = { symbol: tickers, start_date: day, end_date: day, columns: 'ticker,name', limit: MOST * 2 }
  const [answer] = useReads(tickers.length === 0 ? null : [{ slug: 'daily-prices', query }]).value.answers
  return new Map(answer?.ok ? answer.rows.rows.map(({ ticker, name }) => [String(ticker), String(name)]) : [])
}

mount(Institutional)
