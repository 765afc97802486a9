import { useMemo } from 'preact/hooks'
import type { Rows } from '../../api/client.ts'
import type { Read } from '../../api/reads.ts'
import { Chart } from '../../parts/chart.tsx'
import type { ChartSpec } from '../../parts/chart-series.ts'
import { say } from '../../parts/language.ts'
import { Panel } from '../../parts/panel.tsx'
import { type Range, show, since, view } from './range.ts'
import { numberIn, oldestFirst, pointsOf, rangeSentence, textIn } from './rows.ts'

const PRICES = 'trade_date,open,high,low,close,volume'

/** Traded prices, also for the last close in the heading. */
export const tradedPrices = (symbol: string, range: Range): Read => ({
  slug: 'daily-prices',
  query: { symbol, start_date: since(range), columns: PRICES },
})

const adjustedPrices = (symbol: string, range: Range): Read => ({
  slug: 'adjusted-prices',
  query: { symbol, start_date: since(range), columns: `${PRICES},factor,traded_close` },
})

/** Candles and volume, as traded or adjusted for dividends, rights and capital changes. */
export function Prices({ symbol }: { readonly symbol: string }) {
  const { range, adjusted } = view.value
  return (
    <Panel
      id="prices"
      isWide
      title={{ en: 'Prices', zh: '股價' }}
      about={
        adjusted
          ? {
              en: 'Adjusted for later dividends, rights and capital changes, TWD per share. Volume in shares, adjusted for splits.',
              zh: '還原除權息與減資後的股價（元／股）；成交量為股數，已依分割調整。',
            }
          : {
              en: 'As traded, not adjusted, TWD per share. Volume in shares.',
              zh: '實際成交價（元／股），未還原權息；成交量為股數。',
            }
      }
      reads={[adjusted ? adjustedPrices(symbol, range) : tradedPrices(symbol, range)]}
      none={{ en: 'No trades in this period, or its market is not available.', zh: '此期間沒有成交，或所屬市場尚未收錄。' }}
      options={
        <button type="button" aria-pressed={adjusted} onClick={() => show({ adjusted: !adjusted })}>
          {say({ en: 'Adjusted', zh: '還原權息' })}
        </button>
      }
    >
      {([prices]) => <Candles prices={prices!} />}
    </Panel>
  )
}

function Candles({ prices }: { readonly prices: Rows }) {
  const rows = useMemo(() => oldestFirst(prices), [prices])
  const spec = useMemo<ChartSpec>(
    () => ({
      kind: 'time',
      series: [
        {
          kind: 'candles',
          label: say({ en: 'Price', zh: '價格' }),
          points: rows.map(row => ({
            x: textIn(row, 'trade_date')!,
            open: numberIn(row, 'open'),
            high: numberIn(row, 'high'),
            low: numberIn(row, 'low'),
            close: numberIn(row, 'close'),
          })),
        },
        {
          kind: 'bars',
          label: say({ en: 'Volume, shares', zh: '成交量（股）' }),
          colour: 'dim',
          digits: 0,
          pane: 1,
          points: pointsOf(rows, 'trade_date', 'volume'),
        },
      ],
    }),
    [rows],
  )
  const closes = useMemo(() => pointsOf(rows, 'trade_date', 'close'), [rows])
  const idle = closes.filter(({ value }) => value === null).length
  const days = say({
    en: ` ${closes.length} trading days${idle > 0 ? `, ${idle} without a trade` : ''}.`,
    zh: `共 ${closes.length} 個交易日${idle > 0 ? `，其中 ${idle} 日沒有成交` : ''}。`,
  })
  return (
    <Chart
      spec={spec}
      height={400}
      summary={rangeSentence(say({ en: 'Close', zh: '收盤價' }), closes, say({ en: ' TWD', zh: ' 元' })) + days}
    />
  )
}
