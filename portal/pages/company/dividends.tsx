import { useMemo } from 'preact/hooks'
import type { Row, Rows } from '../../api/client.ts'
import { Chart, type ChartProps } from '../../parts/chart.tsx'
import type { ChartSpec } from '../../parts/chart-series.ts'
import { fixed, say, type Words } from '../../parts/language.ts'
import { Panel } from '../../parts/panel.tsx'
import { Scroll } from '../../parts/scroll.tsx'
import { priceMeasure } from '../../parts/units.ts'
import { kindOfDividend } from './dividend-kind.ts'
import { eventsOf } from './prices.tsx'
import { numberIn, oldestFirst, pointsOf, textIn } from './rows.ts'

const CHANGES: Readonly<Record<string, Words>> = {
  capital_reduction: { en: 'capital reduction', zh: '減資' },
  par_value_change: { en: 'par value change', zh: '變更面額' },
  etf_split: { en: 'split', zh: '分割' },
  etf_reverse_split: { en: 'reverse split', zh: '反分割' },
}

export const Dividends = ({ symbol }: { readonly symbol: string }) => (
  <Panel
    id="dividends"
    title={{ en: 'Dividends, rights and capital changes', zh: '除權息與減資' }}
    about={{
      en: 'TWD per share. Yield: the value of the dividend or right as a percentage of the close before the ex-day.',
      zh: '每股金額（元）；殖利率為當次權值加息值占除權息前收盤價的比率。',
    }}
    optional="capital-changes"
    reads={eventsOf(symbol)}
  >
    {([days, changes], picture) => (
      <>
        {days!.rows.length > 0 && <ExDays days={days!} onDrawn={picture} />}
        {changes!.rows.map(row => (
          <p key={textIn(row, 'resume_date')}>
            {textIn(row, 'resume_date')} {say(CHANGES[textIn(row, 'change_type') ?? ''] ?? { en: 'capital change', zh: '資本變動' })},{' '}
            {fixed(numberIn(row, 'close_before'), 2)} → {priceMeasure().text(numberIn(row, 'reference_price'))}
          </p>
        ))}
      </>
    )}
  </Panel>
)

/** Returns the yield in percent of the close before the ex-day. Null if there is no close. */
function yieldOf(row: Row): number | null {
  const [value, close] = [numberIn(row, 'value'), numberIn(row, 'close_before')]
  return value === null || close === null || close === 0 ? null : (100 * value) / close
}

/** Maximum number of ex-days in the list below the chart. */
const MOST_LISTED = 6

function ExDays({ days, onDrawn }: { readonly days: Rows; readonly onDrawn: ChartProps['onDrawn'] }) {
  const measure = priceMeasure()
  const points = useMemo(() => pointsOf(oldestFirst(days), 'ex_date', 'value'), [days])
  const spec = useMemo<ChartSpec>(
    () => ({ kind: 'time', series: [{ kind: 'bars', label: say({ en: 'Per share', zh: '每股' }), colour: 'series-4', measure, points }] }),
    [points],
  )
  const last = days.rows[0]
  const kind = last ? say(kindOfDividend(textIn(last, 'kind')).words) : ''
  const [day, value, cash] = [textIn(last, 'ex_date'), measure.text(numberIn(last, 'value')), measure.text(numberIn(last, 'cash_dividend'))]
  const percent = fixed(last ? yieldOf(last) : null, 2)
  return (
    <>
      <Chart
        spec={spec}
        height={150}
        onDrawn={onDrawn}
        summary={say({
          en: `Last: ${day}, ${kind}, ${value} per share, of which ${cash} in cash; yield ${percent}%. ${points.length} ex-days.`,
          zh: `最近一次：${day} ${kind}，每股 ${value}，其中現金 ${cash}，殖利率 ${percent}%。共 ${points.length} 次。`,
        })}
      />
      <DividendTable rows={days.rows.slice(0, MOST_LISTED)} />
    </>
  )
}

function DividendTable({ rows }: { readonly rows: readonly Row[] }) {
  const label = say({ en: 'Ex-days', zh: '除權息日' })
  const heads: readonly Words[] = [
    { en: 'Cash', zh: '現金股利' },
    { en: 'Value', zh: '權值加息值' },
    { en: 'Close before', zh: '除權息前收盤' },
    { en: 'Yield', zh: '殖利率' },
  ]
  return (
    <Scroll label={label}>
      <table class="levels">
        <thead>
          <tr>
            <th scope="col">{label}</th>
            {heads.map(words => (
              <th scope="col" class="number" key={words.en}>
                {say(words)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <tr key={textIn(row, 'ex_date')}>
              <th scope="row">
                {textIn(row, 'ex_date')} {say(kindOfDividend(textIn(row, 'kind')).words)}
              </th>
              {['cash_dividend', 'value', 'close_before'].map(column => (
                <td class="number" key={column}>
                  {fixed(numberIn(row, column), 2)}
                </td>
              ))}
              <td class="number">{fixed(yieldOf(row), 2)}%</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}
