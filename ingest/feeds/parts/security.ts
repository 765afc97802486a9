import type { Row } from '../../../catalog/index.ts'
import { dayOrNull, tickerCell, tidyOrNull, tidyText } from '../../formats/index.ts'
import { industryOf } from './industries.ts'
import { type Listing, type ListSource, marketOf } from './listing.ts'

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
