import type { Row } from '../../../catalog/index.ts'
import { bodyRefused, dayOrNull, tickerCell, tidyOrNull, tidyText } from '../../formats/index.ts'
import { industryOf } from './industries.ts'

/** A security as a list gives it, cells as written; null where the list has no such column. */
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

/** Where listings come from, as their rows say. */
export interface ListSource {
  readonly name: string
  readonly url: string | null
  readonly role: string
}

/** Markets as lists word them. Securities of the other two boards are not part of the service. */
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

/** TWSE or TPEX; undefined for a market that is not served. @throws Refusal unknown_market for one that is not known */
export function marketOf({ market, code }: Listing): string | undefined {
  const known = Object.hasOwn(MARKETS, market) ? MARKETS[market]! : undefined
  if (known !== undefined) return SERVED.includes(known) ? known : undefined
  throw bodyRefused(
    'unknown_market',
    {
      en: `${code}: the market says "${market}"; known are ${Object.keys(MARKETS).join(', ')}.`,
      zh: `${code}：市場為「${market}」；可辨識者為 ${Object.keys(MARKETS).join('、')}。`,
    },
    { said: market },
  )
}

/**
 * A row of securities for a listing on a served market; undefined for another market, and for an entry without a name.
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

/** A row of theme-taxonomy for a listing with an industry on a served market; undefined for any other. */
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
