import { useMemo } from 'preact/hooks'
import type { Rows } from '../../api/client.ts'
import { Chart, type ChartProps, type Summary } from '../../parts/chart.tsx'
import type { ChartSpec } from '../../parts/chart-series.ts'
import { fixed, number, say } from '../../parts/language.ts'
import { Panel } from '../../parts/panel.tsx'
import { Scroll } from '../../parts/scroll.tsx'
import { percentMeasure, plainMeasure, sharesMeasure } from '../../parts/units.ts'
import { since, view } from './range.ts'
import { numberIn, oldestFirst, pointsOf, rangeSentence, textIn } from './rows.ts'

export const ForeignHolding = ({ symbol }: { readonly symbol: string }) => (
  <Panel
    id="foreign"
    title={{ en: 'Foreign holdings', zh: '外資持股' }}
    about={{
      en: 'Shares of foreign and mainland Chinese investors, percent of the shares issued, at the end of each day.',
      zh: '全體外資及陸資每日收盤後持股占發行股數比率（%）。',
    }}
    since={since(view.value.range)}
    reads={[
      {
        slug: 'foreign-holding',
        query: {
          symbol,
          start_date: since(view.value.range),
          columns: 'trade_date,held_pct,held_shares,available_shares,issued_shares,foreign_limit_pct',
        },
      },
    ]}
  >
    {([holding], picture) => <Held holding={holding!} onDrawn={picture} />}
  </Panel>
)

function Held({ holding, onDrawn }: { readonly holding: Rows; readonly onDrawn: ChartProps['onDrawn'] }) {
  const rows = useMemo(() => oldestFirst(holding), [holding])
  const label = say({ en: 'Foreign holding', zh: '外資持股比率' })
  const points = useMemo(() => pointsOf(rows, 'trade_date', 'held_pct'), [rows])
  const spec = useMemo<ChartSpec>(
    () => ({ kind: 'time', series: [{ kind: 'area', label, measure: percentMeasure(), colour: 'series-1', points }] }),
    [points],
  )
  const last = rows.at(-1)
  const limit = number(numberIn(last, 'foreign_limit_pct'))
  const summary: Summary = as => {
    const shares = as(sharesMeasure()).text(numberIn(last, 'held_shares'))
    const more = say({ en: ` ${shares}; the legal limit is ${limit}%.`, zh: `共 ${shares}，法令上限 ${limit}%。` })
    return rangeSentence(label, points, percentMeasure()) + more
  }
  return <Chart spec={spec} onDrawn={onDrawn} summary={summary} />
}

const LARGEST = 15
const TOTAL = 17

/** Shows large holders by week, and all holding sizes of the newest week. */
export const Holders = ({ symbol }: { readonly symbol: string }) => (
  <Panel
    id="holders"
    isWide
    height={500}
    title={{ en: 'Shareholders by size of holding', zh: '集保股權分散表' }}
    about={{
      en: 'Right: share of holders with more than 1,000 lots (1,000,000 shares), percent of the shares in custody. Left: number of all holders. At least one year.',
      zh: '右軸：千張（1,000,000 股）以上大戶占集保庫存比率（%）；左軸：總股東人數。圖表至少顯示最近一年。',
    }}
    since={since(view.value.range, '1Y')}
    reads={[
      {
        slug: 'shareholder-distribution',
        query: {
          symbol,
          level: `${LARGEST},${TOTAL}`,
          start_date: since(view.value.range, '1Y'),
          columns: 'week_date,level,holders,shares,percent',
        },
      },
      {
        slug: 'shareholder-distribution',
        query: { symbol, limit: TOTAL, columns: 'week_date,level,bracket,shares_from,shares_to,holders,shares,percent' },
      },
    ]}
  >
    {([weeks, newest], picture) => (
      <div class="two">
        {weeks!.rows.length > 0 && <Weeks weeks={weeks!} onDrawn={picture} />}
        {newest!.rows.length > 0 && <Levels newest={newest!} />}
      </div>
    )}
  </Panel>
)

function Weeks({ weeks, onDrawn }: { readonly weeks: Rows; readonly onDrawn: ChartProps['onDrawn'] }) {
  const rows = useMemo(() => oldestFirst(weeks), [weeks])
  const rowsOfLevel = (level: number) => rows.filter(row => numberIn(row, 'level') === level)
  const [large, all] = useMemo(
    () => [pointsOf(rowsOfLevel(LARGEST), 'week_date', 'percent'), pointsOf(rowsOfLevel(TOTAL), 'week_date', 'holders')] as const,
    [rows],
  )
  const [share, holders] = [say({ en: 'Largest holders', zh: '千張大戶持股比率' }), say({ en: 'Holders', zh: '股東人數' })]
  const people = plainMeasure(say({ en: '', zh: '人' }))
  const spec = useMemo<ChartSpec>(
    () => ({
      kind: 'time',
      series: [
        { kind: 'line', label: share, measure: percentMeasure(), colour: 'series-1', points: large },
        { kind: 'line', label: holders, measure: people, scale: 'left', colour: 'series-2', points: all },
      ],
    }),
    [large, all],
  )
  return (
    <Chart
      spec={spec}
      height={340}
      onDrawn={onDrawn}
      summary={[rangeSentence(share, large, percentMeasure()), rangeSentence(holders, all, people)].join(say({ en: ' ', zh: '' }))}
    />
  )
}

function Levels({ newest }: { readonly newest: Rows }) {
  // Level 16 is a correction and level 17 is the total. Neither is a size of holdings.
  const levels = newest.rows.filter(row => (numberIn(row, 'level') ?? TOTAL) <= LARGEST)
  const title = say({ en: `Week of ${textIn(levels[0], 'week_date')}`, zh: `${textIn(levels[0], 'week_date')} 當週` })
  return (
    <Scroll label={title}>
      <table class="levels">
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col" class="number">
              {say({ en: 'Shares', zh: '持股分級（股）' })}
            </th>
            <th scope="col" class="number">
              {say({ en: 'Holders', zh: '人數' })}
            </th>
            <th scope="col" class="number">
              {say({ en: 'Percent', zh: '占比 %' })}
            </th>
            <th scope="col">
              <span class="visually-hidden">{say({ en: 'bar chart', zh: '長條圖' })}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {levels.map(row => (
            <tr key={String(row['level'])}>
              <th scope="row" class="number">
                {bracket(numberIn(row, 'shares_from'), numberIn(row, 'shares_to'))}
              </th>
              <td class="number">{number(numberIn(row, 'holders'))}</td>
              <td class="number">{fixed(numberIn(row, 'percent'), 2)}</td>
              <td class="bar">
                <span style={{ width: `${numberIn(row, 'percent') ?? 0}%` }} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

const bracket = (from: number | null, to: number | null): string =>
  to === null ? say({ en: `${number(from)} or more`, zh: `${number(from)} 以上` }) : `${number(from)}–${number(to)}`
