import '../../frame/main.tsx'
import '../../style/companies.css'
import '../../style/panel.css'
import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { SearchResult } from '../../../clients/typescript/src/index.ts'
import { ask, type Row, type Rows } from '../../api/client.ts'
import { type NameOf, useNames } from '../../api/names.ts'
import { titleOf } from '../../frame/hits.ts'
import { Chart, type ChartProps } from '../../parts/chart.tsx'
import type { ChartSpec, Colour, Point } from '../../parts/chart-series.ts'
import { Choice } from '../../parts/choice.tsx'
import { display } from '../../parts/display.ts'
import type { Measure } from '../../parts/figures.ts'
import { linkTo, say, type Words } from '../../parts/language.ts'
import { Lead } from '../../parts/lead.tsx'
import { mount } from '../../parts/mount.tsx'
import { Panel } from '../../parts/panel.tsx'
import { cumulative } from '../../parts/periods.ts'
import { daysText } from '../../parts/time.ts'
import { percentMeasure, plainMeasure, sharesMeasure } from '../../parts/units.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { RANGES, type Range, since } from '../company/range.ts'
import { type DayValue, fromCommonStart, fromFirst } from './series.ts'

const MOST = 5
const COLOURS = ['series-1', 'series-2', 'series-3', 'series-4', 'series-5'] as const satisfies readonly Colour[]
const TICKER = /^[0-9A-Z]{2,10}$/

const SPANS: Readonly<Record<Range, Words>> = {
  '1M': { en: '1 month', zh: '1 個月' },
  '6M': { en: '6 months', zh: '6 個月' },
  '1Y': { en: '1 year', zh: '1 年' },
  '3Y': { en: '3 years', zh: '3 年' },
  all: { en: 'All', zh: '全部' },
}

function Compare() {
  const [named, range] = [useUrlState('symbols', ''), useUrlState<Range>('range', '1Y')]
  const symbols = [
    ...new Set(
      named.value
        .toUpperCase()
        .split(',')
        .filter(ticker => TICKER.test(ticker)),
    ),
  ].slice(0, MOST)
  const nameOf = useNames(symbols)
  const choose = (tickers: readonly string[]) => {
    named.value = tickers.join(',')
  }
  const heading = say({ en: 'Compare securities', zh: '個股比較' })
  const names = symbols.map(ticker => nameOf(ticker) || ticker)
  useEffect(() => {
    document.title = `${names.length > 0 ? names.join(say({ en: ', ', zh: '、' })) : heading} · twmd`
  }, [names.join()])
  return (
    <>
      <h1>{heading}</h1>
      <Lead />
      <ul class="chosen">
        {symbols.map((ticker, index) => (
          <li key={ticker}>
            <span class="key" style={{ '--key': `var(--${COLOURS[index]})` }} />
            <a href={linkTo(`/company/${ticker}`)}>{nameOf(ticker) || ticker}</a> <code>{ticker}</code>
            <button
              type="button"
              aria-label={say({ en: `Remove ${ticker}`, zh: `移除 ${ticker}` })}
              onClick={() => choose(symbols.filter(one => one !== ticker))}
            >
              ×
            </button>
          </li>
        ))}
        {symbols.length < MOST && <Add onAdd={ticker => choose([...symbols, ticker])} />}
      </ul>
      <Choice
        label={say({ en: 'Period', zh: '期間' })}
        options={RANGES.map(one => ({ value: one, label: say(SPANS[one]) }))}
        chosen={range.value}
        onChoose={next => {
          range.value = next
        }}
      />
      {symbols.length === 0 ? (
        <p class="notice">
          {say({ en: 'Add two to five securities, for example', zh: '請加入二至五檔證券，例如' })}{' '}
          <a href={linkTo('/compare?symbols=2330,2454,2303')}>2330, 2454, 2303</a>
        </p>
      ) : (
        <div class="panels">
          {PANELS.map(panel => (
            <Compared key={panel.id} panel={panel} symbols={symbols} nameOf={nameOf} start={since(range.value, panel.atLeast)} />
          ))}
        </div>
      )}
    </>
  )
}

function Add({ onAdd }: { readonly onAdd: (ticker: string) => void }) {
  const [typed, found] = [useSignal(''), useSignal<SearchResult['data']>([])]
  const search = async (text: string) => {
    typed.value = text
    if (text.trim() === '') return
    const answer = await ask<SearchResult>({ path: '/v2/search', query: { q: text, type: 'symbol', limit: 8 } })
    if (answer.ok && typed.value === text) found.value = answer.body.data
  }
  const add = () => {
    const [first] = found.value
    const ticker = typed.value.trim().toUpperCase()
    if (typed.value.trim() === '') return
    onAdd(TICKER.test(ticker) ? ticker : (first?.id ?? ticker))
    typed.value = ''
  }
  const label = say({ en: 'Add a security', zh: '加入證券' })
  return (
    <li>
      <form
        onSubmit={event => {
          event.preventDefault()
          add()
        }}
      >
        <input
          type="text"
          list="found"
          autocomplete="off"
          aria-label={label}
          placeholder={say({ en: '2454 or MediaTek', zh: '2454 或聯發科' })}
          value={typed.value}
          onInput={event => void search(event.currentTarget.value)}
        />
        <datalist id="found">
          {found.value.map(hit => (
            <option key={hit.id} value={hit.id} label={`${hit.id} ${titleOf(hit)}`} />
          ))}
        </datalist>{' '}
        <button type="submit">{say({ en: 'Add', zh: '加入' })}</button>
      </form>
    </li>
  )
}

interface ComparedPanel {
  readonly id: string
  readonly title: Words
  readonly about: Words
  readonly slug: string
  readonly date: string
  readonly column: string
  readonly instead?: string
  readonly atLeast: Range
  /** True if the values are changes, which have a sign. */
  readonly isChange?: true
  readonly measure: () => Measure
  /** True if the values depend on the first day, which must be the same for all securities. */
  readonly isSinceStart?: true
  /** The values are oldest first. */
  readonly convert: (points: readonly DayValue[]) => readonly Point[]
}

const PANELS: readonly ComparedPanel[] = [
  {
    id: 'prices',
    title: { en: 'Price change', zh: '股價漲跌幅' },
    about: { en: 'Adjusted closes, change since the first day with all securities.', zh: '還原收盤價，自各檔皆有資料的首日起的漲跌幅。' },
    slug: 'adjusted-prices',
    instead: 'daily-prices',
    date: 'trade_date',
    column: 'close',
    atLeast: '1M',
    isChange: true,
    isSinceStart: true,
    measure: percentMeasure,
    convert: fromFirst,
  },
  {
    id: 'institutional',
    title: { en: 'Institutional net buying', zh: '三大法人累計買賣超' },
    about: {
      en: 'Running total of all three investor groups since the first day with all securities.',
      zh: '三大法人合計，自各檔皆有資料的首日起累計。',
    },
    slug: 'institutional-positioning',
    date: 'trade_date',
    column: 'institutional_net_buy_total',
    atLeast: '1M',
    isChange: true,
    isSinceStart: true,
    measure: sharesMeasure,
    convert: cumulative,
  },
  {
    id: 'revenue',
    title: { en: 'Growth of monthly revenue', zh: '月營收年增率' },
    about: { en: 'Over the same month of the previous year. At least one year.', zh: '與去年同月比較；圖表至少顯示最近 12 個月。' },
    slug: 'monthly-revenue',
    date: 'period_end',
    column: 'yoy_pct',
    atLeast: '1Y',
    isChange: true,
    measure: percentMeasure,
    convert: points => points,
  },
  {
    id: 'pe',
    title: { en: 'P/E ratio', zh: '本益比' },
    about: { en: 'Computed by the exchange.', zh: '依交易所公布數值。' },
    slug: 'valuation',
    date: 'trade_date',
    column: 'pe_ratio',
    atLeast: '1M',
    measure: plainMeasure,
    convert: points => points,
  },
  {
    id: 'yield',
    title: { en: 'Dividend yield', zh: '殖利率' },
    about: { en: 'Computed by the exchange.', zh: '依交易所公布數值。' },
    slug: 'valuation',
    date: 'trade_date',
    column: 'dividend_yield',
    atLeast: '1M',
    measure: percentMeasure,
    convert: points => points,
  },
]

interface ComparedProps {
  readonly panel: ComparedPanel
  readonly symbols: readonly string[]
  readonly nameOf: NameOf
  readonly start: string | undefined
}

function Compared({ panel, symbols, nameOf, start }: ComparedProps) {
  const { id, title, about, slug, instead, date, column } = panel
  const query = { symbol: symbols, start_date: start, columns: `ticker,${date},${column}` }
  return (
    <Panel
      id={id}
      isWide={id === 'prices'}
      height={400}
      title={title}
      about={about}
      reads={[{ slug, query }]}
      instead={instead === undefined ? undefined : [{ slug: instead, query }]}
    >
      {([rows], picture) => <Lines panel={panel} rows={rows!} symbols={symbols} nameOf={nameOf} onDrawn={picture} />}
    </Panel>
  )
}

interface LinesProps extends Pick<ComparedProps, 'panel' | 'symbols' | 'nameOf'> {
  readonly rows: Rows
  readonly onDrawn: ChartProps['onDrawn']
}

function Lines({ panel, rows, symbols, nameOf, onDrawn }: LinesProps) {
  const settings = display.value
  const names = symbols.map(ticker => nameOf(ticker) || ticker)
  const spec = useMemo(() => chartOf(panel, rows.rows, symbols, names), [panel, rows, symbols.join(), names.join(), settings])
  const { text, signed } = panel.measure()
  const write = panel.isChange ? signed : text
  const valued = spec.series.map(item => ({
    label: item.label,
    points: item.kind === 'candles' ? [] : item.points.filter(({ value }) => value !== null),
  }))
  const days = valued.flatMap(({ points }) => points.map(({ x }) => String(x))).sort()
  const [start, end] = [panel.isSinceStart ? (days[0] ?? null) : (days.at(-1) ?? null), days.at(-1) ?? null]
  const last = valued.map(({ label, points }) => {
    const point = points.at(-1)
    // A series can end earlier, for example after a delisting.
    const isEarlier = point !== undefined && point.x !== end
    return `${label} ${write(point?.value)}${isEarlier ? say({ en: ` (${point.x})`, zh: `（${point.x}）` }) : ''}`
  })
  return (
    <Chart
      spec={spec}
      height={320}
      onDrawn={onDrawn}
      summary={say({
        en: `${panel.title.en}, ${daysText(start, end)}: ${last.join('; ')}.`,
        zh: `${panel.title.zh}，${daysText(start, end)}：${last.join('、')}。`,
      })}
    />
  )
}

/** Returns a measure whose texts have a sign. */
const withSign = (measure: Measure): Measure => ({ ...measure, text: measure.signed })

function chartOf(panel: ComparedPanel, rows: readonly Row[], symbols: readonly string[], names: readonly string[]): ChartSpec {
  const bySymbol = Map.groupBy(rows, ({ ticker }) => String(ticker))
  const all = symbols.map(ticker =>
    (bySymbol.get(ticker) ?? [])
      .map(row => ({ x: String(row[panel.date]), value: typeof row[panel.column] === 'number' ? (row[panel.column] as number) : null }))
      .sort((a, b) => (a.x < b.x ? -1 : 1)),
  )
  return {
    kind: 'time',
    series: (panel.isSinceStart ? fromCommonStart(all) : all).map((values, index) => ({
      kind: 'line',
      label: names[index]!,
      colour: COLOURS[index]!,
      measure: panel.isChange ? withSign(panel.measure()) : panel.measure(),
      points: panel.convert(values),
    })),
  }
}

mount(Compare)
