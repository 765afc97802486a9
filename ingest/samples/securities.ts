import { lastSession } from './sessions.ts'
import { TICKERS, type Ticker } from './tickers.ts'

/** Names of every ticker. ISIN and listing day are left out rather than made up. */
export function securities(until: string) {
  const asOf = lastSession(until)
  return TICKERS.map(ticker => ({
    ticker: ticker.code,
    market: ticker.market,
    name: ticker.name,
    security_type: typeOf(ticker),
    industry: ticker.industry,
    isin: null,
    listed_on: null,
    cfi: null,
    as_of_date: asOf,
    source_name: 'synthetic_sample',
  }))
}

const typeOf = ({ code, industry }: Ticker): string => (industry === null ? 'ETF' : /^\d{4}$/.test(code) ? '股票' : '特別股')
