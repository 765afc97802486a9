import { useMemo } from 'preact/hooks'
import '../../frame/main.tsx'
import type { Row } from '../../api/client.ts'
import { useLastDay } from '../../api/days.ts'
import { useReads } from '../../api/reads.ts'
import { Chart, type ChartProps } from '../../parts/chart.tsx'
import type { ChartSpec } from '../../parts/chart-series.ts'
import { fixed, number, say, signed, type Words } from '../../parts/language.ts'
import { MarketPage } from '../../parts/market-page.tsx'
import { indexWords } from '../../parts/market-words.ts'
import { mount } from '../../parts/mount.tsx'
import { Panel } from '../../parts/panel.tsx'
import { changeText } from '../../parts/units.ts'
import { useUrlState } from '../../parts/url-state.ts'

const SLUG = 'market-indices'
/** Number of days in the chart, about three years. */
const DAYS = 750

function Indices() {
  const last = useLastDay(SLUG)
  const chosen = useUrlState('index', 'IX0001')
  const list = { slug: SLUG, query: { start_date: last.value, end_date: last.value, limit: 500 } }
  const day = useReads(last.value === null ? null : [list]).value.answers[0]
  const nameOf = (code: string): Words => {
    const row = day?.ok ? day.rows.rows.find(({ index_code }) => index_code === code) : undefined
    return row ? indexWords(String(row['name'])) : { en: `Index ${code}`, zh: `指數 ${code}` }
  }
  const history = {
    slug: SLUG,
    query: { index_code: chosen.value, end_date: last.value, columns: 'trade_date,name,value,change_pct', limit: DAYS },
  }
  return (
    <MarketPage title={{ en: 'Market indices', zh: '市場指數' }} isReady={last.value !== null}>
      {last.value !== null && (
        <div class="two">
          <Panel
            id="history"
            title={nameOf(chosen.value)}
            about={{ en: 'Daily closing value in points.', zh: '每日收盤指數（點）。' }}
            reads={[history]}
          >
            {([answer], picture) => <History code={chosen.value} rows={answer!.rows} onDrawn={picture} />}
          </Panel>
          <Panel
            id="day"
            hasChart={false}
            title={{ en: `All indices on ${last.value}`, zh: `${last.value} 各類指數` }}
            about={{
              en: 'Closing value and change of the day. Choose an index to see its history.',
              zh: '當日收盤指數與漲跌；點選指數可看歷史走勢。',
            }}
            reads={[list]}
          >
            {([answer]) => (
              <List
                rows={answer!.rows}
                chosen={chosen.value}
                onChoose={code => {
                  chosen.value = code
                }}
              />
            )}
          </Panel>
        </div>
      )}
    </MarketPage>
  )
}

interface HistoryProps {
  readonly code: string
  readonly rows: readonly Row[]
  readonly onDrawn: ChartProps['onDrawn']
}

function History({ code, rows, onDrawn }: HistoryProps) {
  const ordered = useMemo(() => [...rows].reverse(), [rows])
  const name = ordered[0] ? say(indexWords(String(ordered[0]['name']))) : code
  const spec = useMemo<ChartSpec>(
    () => ({
      kind: 'time',
      series: [
        {
          kind: 'area',
          label: name,
          colour: 'accent',
          points: ordered.map(({ trade_date, value }) => ({ x: String(trade_date), value: value as number | null })),
        },
      ],
    }),
    [ordered, name],
  )
  const [first, last] = [ordered[0], ordered.at(-1)]
  if (!first || !last) return null
  const [from, to] = [Number(first['value']), Number(last['value'])]
  const change = from === 0 ? null : (to / from - 1) * 100
  const summary = say({
    en: `${name}: ${number(to)} points on ${last['trade_date']}, ${signed(change)}% since ${first['trade_date']}.`,
    zh: `${name}：${last['trade_date']} 收 ${number(to)} 點，自 ${first['trade_date']} 起 ${signed(change)}%。`,
  })
  return <Chart spec={spec} summary={summary} height={320} onDrawn={onDrawn} />
}

interface ListProps {
  readonly rows: readonly Row[]
  readonly chosen: string
  readonly onChoose: (code: string) => void
}

function List({ rows, chosen, onChoose }: ListProps) {
  const ordered = [...rows].sort((a, b) => (String(a['kind']) + a['index_code'] < String(b['kind']) + b['index_code'] ? -1 : 1))
  return (
    <table class="ranking indices">
      <thead>
        <tr>
          <th scope="col">{say({ en: 'Index', zh: '指數' })}</th>
          <th scope="col" class="number">
            {say({ en: 'Points', zh: '點數' })}
          </th>
          <th scope="col" class="number">
            {say({ en: 'Change', zh: '漲跌' })}
          </th>
          <th scope="col" class="number">
            {say({ en: 'Percent', zh: '漲跌幅' })}
          </th>
        </tr>
      </thead>
      <tbody>
        {ordered.map(row => {
          const [code, change] = [String(row['index_code']), row['change_pct'] as number | null]
          const tone = change === null || change === 0 ? '' : change > 0 ? 'up' : 'down'
          return (
            <tr key={code}>
              <th scope="row">
                <button type="button" class="choose" aria-pressed={code === chosen} onClick={() => onChoose(code)}>
                  {say(indexWords(String(row['name'])))} <code>{code}</code>
                </button>
              </th>
              <td class="number">{fixed(row['value'] as number | null, 2)}</td>
              <td class={`number ${tone}`}>{signed(row['change'] as number | null)}</td>
              <td class={`number ${tone}`}>{changeText(change)}</td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

mount(Indices)
