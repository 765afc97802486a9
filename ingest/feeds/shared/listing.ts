import type { Row } from '../../../catalog/index.ts'
import { bodyRefused, dayOrNull, tickerCell, tidyOrNull, tidyText } from '../../formats/index.ts'
import { industryOf } from './industries.ts'

/** A security in a list, with cells as received. A cell is null if the list lacks its column. */
export interface Listing {
  readonly code: string
  readonly name: string
  readonly market: string
  readonly industry: string
  readonly type: string | null
  readonly isin: string | null
  readonly start: string | null
  readonly cfi: string | null
}

export interface ListSource {
  readonly name: string
  readonly url: string | null
  readonly role: string
}

/** The service does not cover the last two boards. */
const MARKETS: Readonly<Record<string, string>> = {
  上市: 'TWSE',
  上市臺灣創新板: 'TWSE',
  TWSE: 'TWSE',
  上櫃: 'TPEX',
  TPEX: 'TPEX',
  TPEx: 'TPEX',
  興櫃: 'ESB',
  興櫃一般板: 'ESB',
  興櫃戰略新板: 'ESB',
  ESB: 'ESB',
  公開發行: 'PUBLIC',
}
const SERVED = ['TWSE', 'TPEX']

/**
 * Returns the market. Undefined for a market that the service does not cover.
 *
 * @throws Refusal unknown_market
 */
export function marketOf({ market, code }: Listing): string | undefined {
  const served = Object.hasOwn(MARKETS, market) ? MARKETS[market]! : undefined
  if (served !== undefined) return SERVED.includes(served) ? served : undefined
  throw bodyRefused(
    'unknown_market',
    {
      en: `${code}: the market is "${market}"; expected one of ${Object.keys(MARKETS).join(', ')}.`,
      zh: `${code}：市場為「${market}」；可辨識者為 ${Object.keys(MARKETS).join('、')}。`,
    },
    { said: market },
  )
}

/**
 * Returns a row, undefined without a name or for a market that the service does not cover.
 *
 * @throws Refusal unknown_market, unreadable_ticker or impossible_date
 */
export function securityRow(listing: Listing, source: ListSource, asOf: string): Row | undefined {
  const market = marketOf(listing)
  const name = tidyText(listing.name)
  if (market === undefined || name === '') return undefined
  return {
    ticker: tickerCell(listing.code),
    market,
    name,
    security_type: tidyOrNull(listing.type),
    industry: industryOf(tidyText(listing.industry))?.name ?? null,
    isin: tidyOrNull(listing.isin),
    listed_on: dayOrNull(listing.start, 'the day of listing'),
    cfi: tidyOrNull(listing.cfi),
    as_of_date: asOf,
    source_name: source.name,
  }
}

/** Returns a row, undefined without an industry or for a market that the service does not cover. */
export function themeRow(listing: Listing, source: ListSource, asOf: string): Row | undefined {
  const industry = industryOf(tidyText(listing.industry))
  const market = marketOf(listing)
  if (industry === undefined || market === undefined) return undefined
  return {
    symbol: tickerCell(listing.code),
    theme_id: industry.id,
    theme_name: industry.name,
    taxonomy_type: 'industry',
    market,
    classification_level: 'level_2',
    source_name: source.name,
    source_url: source.url,
    as_of_date: asOf,
    source_role: source.role,
    lineage: {
      sources: [source.name],
      theme_policy: 'explicit_map_entries_only',
      mapping_version: '1',
      taxonomy_version: '1',
      subindustry_policy: 'not_assigned',
    },
    updated_at: `${asOf}T00:00:00+08:00`,
  }
}
