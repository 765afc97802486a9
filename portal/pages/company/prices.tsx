import { useMemo } from 'preact/hooks'
import type { Row, Rows } from '../../api/client.ts'
import type { Read } from '../../api/reads.ts'
import { Chart, type ChartProps } from '../../parts/chart.tsx'
import type { ChartSpec, Mark, Series } from '../../parts/chart-series.ts'
import { Choice } from '../../parts/choice.tsx'
import { display } from '../../parts/display.ts'
import { say, type Words } from '../../parts/language.ts'
import { Panel } from '../../parts/panel.tsx'
import { type Bar, combined, movingAverage, PERIODS, type Period, periodOf } from '../../parts/periods.ts'
import { priceMeasure, sharesMeasure } from '../../parts/units.ts'
import { kindOfDividend } from './dividend-kind.ts'
import { show, since, type View, view } from './range.ts'
import { numberIn, oldestFirst, rangeSentence, textIn } from './rows.ts'

const PRICES = 'trade_date,open,high,low,close,volume'

/** Moving averages. The length is a number of bars. */
const AVERAGES = [
  { length: 5, colour: 'series-1' },
  { length: 20, colour: 'series-2' },
  { length: 60, colour: 'series-3' },
] as const

/** Number of days to read before the first shown day, for the moving averages. */
const DAYS_BEFORE: Readonly<Record<Period, number>> = { day: 100, week: 430, month: 1_900 }
const DAY_MS = 86_400_000

function startOf({ range, bars, averages }: View): string | undefined {
  const start = since(range)
  if (start === undefined || !averages) return start
  return new Date(Date.parse(start) - DAYS_BEFORE[bars] * DAY_MS).toISOString().slice(0, 10)
}

/** Returns the read of unadjusted prices, with earlier days for the averages. */
const tradedPrices = (symbol: string, view: View): Read => ({
  slug: 'daily-prices',
  query: { symbol, start_date: startOf(view), columns: PRICES },
})

const adjustedPrices = (symbol: string, view: View): Read => ({
  slug: 'adjusted-prices',
  query: { symbol, start_date: startOf(view), columns: `${PRICES},factor` },
})

/** Returns the read of the prices. If the plan does not include `read`, `instead` replaces it. */
export const pricesOf = (symbol: string, view: View): { readonly read: Read; readonly instead: Read | undefined } =>
  view.adjusted
    ? { read: adjustedPrices(symbol, view), instead: tradedPrices(symbol, view) }
    : { read: tradedPrices(symbol, view), instead: undefined }

export const eventsOf = (symbol: string): readonly Read[] => [
  {
    slug: 'ex-rights',
    query: { symbol, columns: 'ex_date,kind,value,cash_dividend,bonus_shares_per_thousand,close_before,reference_price' },
  },
  { slug: 'capital-changes', query: { symbol, columns: 'resume_date,change_type,reason,close_before,reference_price,exchange_ratio' } },
]

const BARS: Readonly<Record<Period, Words>> = {
  day: { en: 'Day', zh: '日線' },
  week: { en: 'Week', zh: '週線' },
  month: { en: 'Month', zh: '月線' },
}

export function Prices({ symbol }: { readonly symbol: string }) {
  const shown = view.value
  const { adjusted } = shown
  const { read, instead } = pricesOf(symbol, shown)
  return (
    <Panel
      id="prices"
      isWide
      height={540}
      title={{ en: 'Prices', zh: '股價' }}
      about={
        adjusted
          ? { en: 'Adjusted for dividends, rights and capital changes.', zh: '還原除權息與減資後的股價。' }
          : { en: 'As traded, not adjusted.', zh: '實際成交價，未還原權息。' }
      }
      reads={[read]}
      since={since(shown.range)}
      instead={instead && [instead]}
      context={eventsOf(symbol)}
      none={{ en: 'No trades in this period, or its market is not available.', zh: '此期間沒有成交，或所屬市場尚未收錄。' }}
      options={<Options view={shown} />}
    >
      {([prices, exDays, changes], picture) => (
        <Candles prices={prices!} marks={markers(exDays!.rows, changes!.rows)} view={shown} onDrawn={picture} />
      )}
    </Panel>
  )
}

function Options({ view: { bars, adjusted, averages, log } }: { readonly view: View }) {
  const toggle = (words: Words, isOn: boolean, change: Partial<View>) => (
    <button type="button" aria-pressed={isOn} onClick={() => show(change)}>
      {say(words)}
    </button>
  )
  return (
    <div class="options">
      <Choice
        label={say({ en: 'Length of a bar', zh: 'K 線週期' })}
        options={PERIODS.map(period => ({ value: period, label: say(BARS[period]) }))}
        chosen={bars}
        onChoose={period => show({ bars: period })}
      />
      {toggle({ en: 'Adjusted', zh: '還原權息' }, adjusted, { adjusted: !adjusted })}
      {toggle({ en: 'Averages', zh: '均線' }, averages, { averages: !averages })}
      {toggle({ en: 'Log scale', zh: '對數座標' }, log, { log: !log })}
    </div>
  )
}

interface Event {
  readonly day: string
  readonly text: string
}

function markers(exDays: readonly Row[], changes: readonly Row[]): readonly Event[] {
  return [
    ...exDays.map(row => ({ day: textIn(row, 'ex_date')!, text: say(kindOfDividend(textIn(row, 'kind')).short) })),
    ...changes.map(row => ({ day: textIn(row, 'resume_date')!, text: say({ en: 'C', zh: '減' }) })),
  ]
}

interface CandlesProps {
  readonly prices: Rows
  readonly marks: readonly Event[]
  readonly view: View
  readonly onDrawn: ChartProps['onDrawn']
}

function Candles({ prices, marks, view: { range, bars, averages, log }, onDrawn }: CandlesProps) {
  const settings = display.value
  const start = since(range) ?? ''
  const events = marks.map(({ day, text }) => day + text).join()
  const { days, spec } = useMemo(() => {
    const all = oldestFirst(prices).map(barOf)
    const days = all.filter(({ day }) => day >= start)
    return { days, spec: chartOf(all, start, { bars, averages, log }, marks) }
  }, [prices, start, bars, averages, log, settings, events])
  const closes = days.map(({ day, close }) => ({ x: day, value: close }))
  const idle = closes.filter(({ value }) => value === null).length
  const count = say({
    en: ` ${closes.length} trading days${idle > 0 ? `, ${idle} without a trade` : ''}.`,
    zh: `共 ${closes.length} 個交易日${idle > 0 ? `，其中 ${idle} 日沒有成交` : ''}。`,
  })
  const key =
    marks.length > 0 ? say({ en: ' D: ex-dividend, R: ex-rights, C: capital change.', zh: '標記：息＝除息，權＝除權，減＝減資。' }) : ''
  const isAdjusted = prices.rows[0] !== undefined && 'factor' in prices.rows[0]
  const label = isAdjusted ? say({ en: 'Adjusted close', zh: '還原收盤價' }) : say({ en: 'Close', zh: '收盤價' })
  return <Chart spec={spec} height={440} onDrawn={onDrawn} summary={rangeSentence(label, closes, priceMeasure()) + count + key} />
}

const barOf = (row: Row): Bar => ({
  day: textIn(row, 'trade_date')!,
  open: numberIn(row, 'open'),
  high: numberIn(row, 'high'),
  low: numberIn(row, 'low'),
  close: numberIn(row, 'close'),
  volume: numberIn(row, 'volume'),
})

function chartOf(
  days: readonly Bar[],
  start: string,
  { bars, averages, log }: Pick<View, 'bars' | 'averages' | 'log'>,
  events: readonly Event[],
): ChartSpec {
  const all = combined(days, bars)
  const shown = all.filter(({ day }) => day >= start)
  const price = priceMeasure()
  const closes = all.map(({ close }) => close)
  const lines = averages
    ? AVERAGES.map(({ length, colour }): Series => {
        const means = movingAverage(closes, length)
        const points = all.map(({ day }, index) => ({ x: day, value: means[index]! })).filter(({ x }) => x >= start)
        return { kind: 'line', label: `MA${length}`, colour, width: 1, measure: price, points }
      })
    : []
  return {
    kind: 'time',
    isLog: log,
    panes: [0.22],
    series: [
      {
        kind: 'candles',
        label: say({ en: 'Price', zh: '股價' }),
        measure: price,
        points: shown.map(({ day, open, high, low, close }) => ({ x: day, open, high, low, close })),
        marks: placed(events, shown, bars),
      },
      ...lines,
      {
        kind: 'bars',
        label: say({ en: 'Volume', zh: '成交量' }),
        colour: 'dim',
        measure: sharesMeasure(),
        pane: 1,
        points: shown.map(({ day, open, close, volume }) => ({
          x: day,
          value: volume,
          colour: (close ?? 0) >= (open ?? 0) ? 'up' : 'down',
        })),
      },
    ],
  }
}

/** Assigns each event to the bar that contains its day. */
function placed(events: readonly Event[], shown: readonly Bar[], bars: Period): readonly Mark[] {
  const days = new Map(shown.map(({ day }) => [periodOf(day, bars), day]))
  return events.flatMap(({ day, text }) => {
    const x = days.get(periodOf(day, bars))
    return x === undefined ? [] : [{ x, text, colour: 'accent' as const, shape: 'circle' as const, position: 'belowBar' as const }]
  })
}
