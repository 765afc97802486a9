import { useMemo } from 'preact/hooks'
import type { Row, Rows } from '../../api/client.ts'
import { Chart } from '../../parts/chart.tsx'
import type { ChartSpec, Mark } from '../../parts/chart-series.ts'
import { say, signed } from '../../parts/language.ts'
import { Panel } from '../../parts/panel.tsx'
import { since, view } from './range.ts'
import { numberIn, oldestFirst, pointsOf, textIn } from './rows.ts'

const LEGS = [
  { column: 'foreign_net_buy', colour: 'series-1', words: { en: 'Foreign investors', zh: '外資' } },
  { column: 'investment_trust_net_buy', colour: 'series-2', words: { en: 'Investment trusts', zh: '投信' } },
  { column: 'dealer_net_buy', colour: 'series-3', words: { en: 'Dealers', zh: '自營商' } },
] as const
const TOTAL = 'institutional_net_buy_total'

/** Minimum days of a streak that is marked. Only the longest streaks are marked. */
const SHORTEST_STREAK = 3
const MOST_MARKS = 12

/** Net buying of the three kinds of institutional investors, stacked, with the longest streaks. */
export const Flows = ({ symbol }: { readonly symbol: string }) => (
  <Panel
    id="institutional"
    isWide
    title={{ en: 'Institutional investors', zh: '三大法人買賣超' }}
    about={{
      en: `Net shares bought per day; net selling is below zero. The longest streaks of at least ${SHORTEST_STREAK} days are marked on their last day.`,
      zh: `每日買賣超股數，賣超在零軸以下；連續 ${SHORTEST_STREAK} 日以上的最長買賣超標示於末日。`,
    }}
    reads={[
      {
        slug: 'institutional-positioning',
        query: {
          symbol,
          start_date: since(view.value.range),
          columns: `trade_date,${LEGS.map(({ column }) => column).join(',')},${TOTAL},buy_streak,sell_streak`,
        },
      },
    ]}
    none={{ en: 'No institutional trades in this period.', zh: '此期間沒有法人買賣紀錄。' }}
  >
    {([flows]) => <Legs flows={flows!} />}
  </Panel>
)

function Legs({ flows }: { readonly flows: Rows }) {
  const rows = useMemo(() => oldestFirst(flows), [flows])
  const spec = useMemo<ChartSpec>(
    () => ({
      kind: 'time',
      isStacked: true,
      series: [
        ...LEGS.map(({ column, colour, words }) => ({
          kind: 'bars' as const,
          label: say(words),
          colour,
          digits: 0,
          points: pointsOf(rows, 'trade_date', column),
        })),
        {
          kind: 'line',
          label: say({ en: 'Total', zh: '合計' }),
          colour: 'dim',
          width: 1,
          digits: 0,
          points: pointsOf(rows, 'trade_date', TOTAL),
          marks: streakMarks(rows),
        },
      ],
    }),
    [rows],
  )
  return <Chart spec={spec} height={340} summary={sentence(rows.at(-1))} />
}

/**
 * Length of a streak that ends on this row: positive for buying, negative for selling, 0 for
 * neither.
 */
const streakOf = (row: Row | undefined): number => (numberIn(row, 'buy_streak') ?? 0) - (numberIn(row, 'sell_streak') ?? 0)

function streakMarks(rows: readonly Row[]): readonly Mark[] {
  const ends = rows.filter((row, index) => {
    const [days, next] = [streakOf(row), streakOf(rows[index + 1])]
    return Math.abs(days) >= SHORTEST_STREAK && (Math.sign(next) !== Math.sign(days) || Math.abs(next) < Math.abs(days))
  })
  const longest = [...ends].sort((a, b) => Math.abs(streakOf(b)) - Math.abs(streakOf(a))).slice(0, MOST_MARKS)
  return longest.map(row => {
    const days = streakOf(row)
    const isBought = days > 0
    return {
      x: textIn(row, 'trade_date')!,
      text: say({ en: `${Math.abs(days)}d`, zh: `${Math.abs(days)}日` }),
      colour: isBought ? 'up' : 'down',
      shape: isBought ? 'arrowUp' : 'arrowDown',
      position: isBought ? 'aboveBar' : 'belowBar',
    }
  })
}

/** A sentence about the last day: net buying per investor type, and the current streak. */
function sentence(row: Row | undefined): string {
  if (!row) return ''
  const legs = LEGS.map(({ column, words }) => `${say(words)} ${shares(numberIn(row, column))}`)
  const days = streakOf(row)
  const streak =
    Math.abs(days) < 2
      ? ''
      : say({
          en: `, day ${Math.abs(days)} in a row of net ${days > 0 ? 'buying' : 'selling'}`,
          zh: `，連續 ${Math.abs(days)} 日${days > 0 ? '買超' : '賣超'}`,
        })
  const [day, total] = [textIn(row, 'trade_date'), shares(numberIn(row, TOTAL))]
  return say({
    en: `On ${day}, net shares bought: ${legs.join('; ')}; total ${total}${streak}.`,
    zh: `${day} 買賣超：${legs.join('、')}，合計 ${total}${streak}。`,
  })
}

const shares = (value: number | null): string => say({ en: signed(value, 0), zh: `${signed(value, 0)} 股` })
