import { useComputed } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import '../../frame/main.tsx'
import type { Rows } from '../../api/client.ts'
import { useReads } from '../../api/reads.ts'
import { Chart, type ChartProps } from '../../parts/chart.tsx'
import { DayPicker } from '../../parts/day-picker.tsx'
import { fixed, number, say, signed } from '../../parts/language.ts'
import { MarketNav } from '../../parts/market-nav.tsx'
import { mount } from '../../parts/mount.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Scroll } from '../../parts/scroll.tsx'
import { useUrlState } from '../../parts/url-state.ts'
import { curveChart, curvesOf, spread, type Tenor } from './curves.ts'

/** Maximum number of rows, for more than a year and a half. */
const MOST_ROWS = 1_900
const MONTH = 21

const COLUMNS = 'trade_date,tenor_label,maturity_years,yield_rate,source_role'

function YieldCurve() {
  const [chosen, compared, until] = [useUrlState('day', ''), useUrlState('compare', ''), useUrlState('until', '')]
  const read = { slug: 'bond-yield-curve', query: { symbol: 'TWGB', end_date: until.value, columns: COLUMNS, limit: MOST_ROWS } }
  const reading = useReads([read])
  const curves = useComputed(() => {
    const [answer] = reading.value.answers
    return answer?.ok ? curvesOf(wholeDays(answer.rows)) : new Map<string, readonly Tenor[]>()
  })
  const days = [...curves.value.keys()]
  const day = days.findLast(one => chosen.value === '' || one <= chosen.value) ?? days.at(-1) ?? ''
  const other = days.findLast(one => compared.value !== '' && one <= compared.value) ?? days[Math.max(days.indexOf(day) - MONTH, 0)] ?? ''
  const first = days[0]
  return (
    <>
      <h1>{say({ en: 'Government bond yield curve', zh: '公債殖利率曲線' })}</h1>
      <MarketNav />
      <div class="curve-days">
        {days.length > 0 && (
          <>
            <DayPicker
              label={say({ en: 'Day', zh: '日期' })}
              days={days}
              day={day}
              onPick={next => {
                chosen.value = next
              }}
            />
            <DayPicker
              label={say({ en: 'Versus', zh: '比較日' })}
              days={days}
              day={other}
              onPick={next => {
                compared.value = next
              }}
            />
            <p>
              {until.value !== '' && (
                <button type="button" onClick={() => clear(until, chosen, compared)}>
                  {say({ en: 'Latest day', zh: '回到最新' })}
                </button>
              )}{' '}
              {days.length >= MOST_ROWS / 6 && first && (
                <button type="button" onClick={() => goBack(first, until, chosen, compared)}>
                  {say({ en: `Load days before ${first}`, zh: `載入 ${first} 以前的資料` })}
                </button>
              )}
            </p>
          </>
        )}
      </div>
      <Panel
        id="curve"
        isWide
        title={{ en: 'Yield curve', zh: '殖利率曲線' }}
        about={{ en: 'Yield to maturity in percent, by years to maturity.', zh: '到期殖利率（%），依剩餘年期。' }}
        reads={[read]}
      >
        {(_, picture) => (
          <Curves day={day} tenors={curves.value.get(day) ?? []} other={other} others={curves.value.get(other) ?? []} onDrawn={picture} />
        )}
      </Panel>
    </>
  )
}

interface State {
  value: string
}

function clear(...states: readonly State[]): void {
  for (const state of states) state.value = ''
}

function goBack(first: string, until: State, ...days: readonly State[]): void {
  until.value = first
  clear(...days)
}

/** Removes the oldest day, because the row limit may have cut off some of its tenors. */
function wholeDays({ rows, next }: Rows): Rows['rows'] {
  const oldest = rows.at(-1)?.['trade_date']
  return next === null ? rows : rows.filter(({ trade_date }) => trade_date !== oldest)
}

interface CurvesProps {
  readonly day: string
  readonly tenors: readonly Tenor[]
  readonly other: string
  readonly others: readonly Tenor[]
  readonly onDrawn: ChartProps['onDrawn']
}

function Curves({ day, tenors, other, others, onDrawn }: CurvesProps) {
  const spec = useMemo(() => curveChart(day, tenors, other, others), [day, other, tenors, others])
  const former = new Map(others.map(({ label, rate }) => [label, rate]))
  const steep = spread(tenors, '10Y', '2Y')
  const ten = tenors.find(({ label }) => label === '10Y')
  const summary = [
    ten && say({ en: `10-year yield on ${day}: ${fixed(ten.rate, 4)}%.`, zh: `${day} 10 年期殖利率 ${fixed(ten.rate, 4)}%。` }),
    steep !== null &&
      say({
        en: `10-year minus 2-year spread: ${signed(steep * 100)} bp.`,
        zh: `10 年期與 2 年期利差：${signed(steep * 100)} bp。`,
      }),
  ]
    .filter(Boolean)
    .join(say({ en: ' ', zh: '' }))
  return (
    <>
      <Chart spec={spec} summary={summary} height={340} onDrawn={onDrawn} />
      <Scroll label={say({ en: 'Yields by tenor', zh: '各年期殖利率' })}>
        <table>
          <thead>
            <tr>
              <th scope="col">{say({ en: 'Tenor', zh: '年期' })}</th>
              <th scope="col" class="number">
                {day}
              </th>
              <th scope="col" class="number">
                {other}
              </th>
              <th scope="col" class="number" aria-label={say({ en: 'Change, bp', zh: '變動 bp' })}>
                {say({ en: '± bp', zh: '變動 bp' })}
              </th>
            </tr>
          </thead>
          <tbody>
            {tenors.map(({ label, years, rate }) => (
              <tr key={label}>
                <th scope="row">{say({ en: label, zh: `${number(years)} 年` })}</th>
                <td class="number">{fixed(rate, 4)}%</td>
                <td class="number">{former.has(label) ? `${fixed(former.get(label), 4)}%` : '–'}</td>
                <td class="number">{former.has(label) ? signed((rate - former.get(label)!) * 100) : '–'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </>
  )
}

mount(YieldCurve)
