import { useRef } from 'preact/hooks'
import type { Row, Rows } from '../../api/client.ts'
import { useNames } from '../../api/names.ts'
import { useReads } from '../../api/reads.ts'
import { fixed, linkTo, say, type Words } from '../../parts/language.ts'
import { industryWords } from '../../parts/market-words.ts'
import { Panel } from '../../parts/panel.tsx'
import { Scroll } from '../../parts/scroll.tsx'
import { useSeen } from '../../parts/seen.ts'
import { changeText, moneyMeasure } from '../../parts/units.ts'
import { numberIn, percentChange, textIn } from './rows.ts'

/** Maximum number of companies: this one and the most traded ones of the industry. */
const MOST = 12
/** Number of rows per company, for the last two trading days. */
const DAYS = 2
/** Maximum number of tickers in one read. */
const MOST_TICKERS = 500

interface PeersProps {
  readonly symbol: string
  readonly industry: string
}

export function Peers({ symbol, industry }: PeersProps) {
  const list = { slug: 'securities', query: { industry, security_type: '股票', columns: 'ticker,name', limit: MOST_TICKERS } }
  const place = useRef<HTMLDivElement>(null)
  const isSeen = useSeen(place).value
  const [listed] = useReads(isSeen ? [list] : null).value.answers
  const tickers = listed?.ok ? listed.rows.rows.map(row => textIn(row, 'ticker')!).sort() : []
  const day = useLastDay(isSeen ? symbol : null)
  const isKnown = tickers.length > 0 && day !== null
  const from = { symbol: tickers, start_date: day, limit: MOST_TICKERS * DAYS }
  return (
    <div class="wide" ref={place}>
      <Panel
        id="peers"
        hasChart={false}
        isWide
        height={440}
        title={{ en: `Peers: ${industryWords(industry).en}`, zh: `同業比較：${industry}` }}
        about={{
          en: 'Most traded on the last day. Changes are not adjusted for dividends.',
          zh: '最近交易日成交值最高的同業；漲跌幅未還原權息。',
        }}
        reads={
          isKnown
            ? [
                { slug: 'daily-prices', query: { ...from, columns: 'ticker,name,trade_date,close,turnover' } },
                { slug: 'valuation', query: { ...from, columns: 'ticker,trade_date,pe_ratio,pb_ratio,dividend_yield' } },
                {
                  slug: 'monthly-revenue',
                  query: { symbol: tickers, start_date: monthsBefore(day), limit: 2_000, columns: 'ticker,period_end,yoy_pct' },
                },
              ]
            : NONE
        }
      >
        {([prices, ratios, revenue]) => <Table symbol={symbol} industry={industry} prices={prices!} ratios={ratios!} revenue={revenue!} />}
      </Panel>
    </div>
  )
}

const NONE = [] as const

/** Returns the second-to-last day on which the company has a row. Null while loading. */
function useLastDay(symbol: string | null): string | null {
  const read = { slug: 'daily-prices', query: { symbol, columns: 'trade_date,close', limit: 20 } }
  const [answer] = useReads(symbol === null ? null : [read]).value.answers
  return answer?.ok ? textIn(answer.rows.rows[DAYS - 1], 'trade_date') : null
}

/** Returns the day 75 days before. Every company has reported a month since then. */
const monthsBefore = (day: string): string => new Date(Date.parse(day) - 75 * 86_400_000).toISOString().slice(0, 10)

interface TableProps extends PeersProps {
  readonly prices: Rows
  readonly ratios: Rows
  readonly revenue: Rows
}

interface Peer {
  readonly ticker: string
  readonly name: unknown
  readonly close: number | null
  readonly change: number | null
  readonly turnover: number
  readonly ratios: Row | undefined
  readonly growth: number | null
}

/** Sorts peers by turnover. The rows of each dataset must be newest first. */
function peersOf({ symbol, prices, ratios, revenue }: TableProps): readonly Peer[] {
  const newest = (rows: readonly Row[]) => Map.groupBy(rows, row => textIn(row, 'ticker')!)
  const [ratiosOf, revenueOf] = [newest(ratios.rows), newest(revenue.rows)]
  const all = [...newest(prices.rows)].map(([ticker, [last, before]]): Peer => {
    const [close, former] = [numberIn(last, 'close'), numberIn(before, 'close')]
    return {
      ticker,
      name: last!['name'],
      close,
      change: close === null || former === null ? null : percentChange(former, close),
      turnover: numberIn(last, 'turnover') ?? 0,
      ratios: ratiosOf.get(ticker)?.[0],
      growth: numberIn(revenueOf.get(ticker)?.[0], 'yoy_pct'),
    }
  })
  const sorted = all.sort((a, b) => b.turnover - a.turnover)
  return sorted.filter(({ ticker }, index) => index < MOST || ticker === symbol)
}

const HEADS: readonly Words[] = [
  { en: 'Close', zh: '收盤' },
  { en: 'Change', zh: '漲跌幅' },
  { en: 'Turnover, TWD', zh: '成交值（元）' },
  { en: 'P/E', zh: '本益比' },
  { en: 'P/B', zh: '股價淨值比' },
  { en: 'Yield', zh: '殖利率' },
  { en: 'Monthly revenue, YoY', zh: '月營收年增率' },
]

function Table(props: TableProps) {
  const peers = peersOf(props)
  const nameOf = useNames(
    peers.map(({ ticker }) => ticker),
    { areInRows: true },
  )
  const money = moneyMeasure()
  const label = say({ en: 'Peers', zh: '同業比較' })
  const others = peers.filter(({ ticker }) => ticker !== props.symbol).slice(0, 4)
  return (
    <>
      <Scroll label={label}>
        <table class="levels">
          <thead>
            <tr>
              <th scope="col">{say({ en: 'Company', zh: '公司' })}</th>
              {HEADS.map(words => (
                <th scope="col" class="number" key={words.en}>
                  {say(words)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {peers.map(({ ticker, name, close, change, turnover, ratios, growth }) => (
              <tr key={ticker} class={ticker === props.symbol ? 'self' : undefined}>
                <th scope="row">
                  <a href={linkTo(`/company/${ticker}`)}>{nameOf(ticker, name)}</a> <code>{ticker}</code>
                </th>
                <td class="number">{fixed(close, 2)}</td>
                <td class={`number ${wayOf(change)}`}>{changeText(change)}</td>
                <td class="number" title={money.exact(turnover)}>
                  {money.plain(turnover)}
                </td>
                <td class="number">{fixed(numberIn(ratios, 'pe_ratio'), 2)}</td>
                <td class="number">{fixed(numberIn(ratios, 'pb_ratio'), 2)}</td>
                <td class="number">{percent(numberIn(ratios, 'dividend_yield'))}</td>
                <td class={`number ${wayOf(growth)}`}>{changeText(growth)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <p>
        <a href={linkTo(`/companies?industry=${encodeURIComponent(props.industry)}`)}>
          {say({ en: 'All companies of the industry', zh: '同產業所有公司' })}
        </a>{' '}
        ·{' '}
        <a href={linkTo(`/compare?symbols=${[props.symbol, ...others.map(({ ticker }) => ticker)].join(',')}`)}>
          {say({ en: 'Compare the most traded', zh: '比較成交值最高者' })}
        </a>
      </p>
    </>
  )
}

const percent = (value: number | null): string => (value === null ? '–' : `${fixed(value, 2)}%`)

const wayOf = (change: number | null): string => (change === null || change === 0 ? '' : change > 0 ? 'up' : 'down')
