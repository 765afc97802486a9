import type { Row } from '../../../catalog/column.ts'
import { tickerCell } from '../../body/ticker.ts'
import { tidyText } from '../../body/tidy.ts'
import { bodyRefused, type Parsed } from '../../feed.ts'
import { industryOf } from './industries.ts'

/** A security as a list gives it, cells as written. */
export interface Listing {
  readonly code: string
  readonly market: string
  readonly industry: string
}

/** Where listings come from, as their rows say. */
export interface ThemeSource {
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

function marketOf({ market, code }: Listing): string {
  const known = MARKETS[market]
  if (known !== undefined) return known
  throw bodyRefused('unknown_market', `${code}: the market says "${market}"; known are ${Object.keys(MARKETS).join(', ')}.`, {
    said: market,
  })
}

function themeRow(listing: Listing, source: ThemeSource, asOf: string): Row | undefined {
  const industry = industryOf(tidyText(listing.industry))
  const market = marketOf(listing)
  if (industry === undefined || !SERVED.includes(market)) return undefined
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

/**
 * One industry row per security that the list gives one, nothing inferred for the others.
 *
 * @throws Refusal day_not_stated when no day was named, since these lists carry none; unknown_market for a market not known
 */
export function themesOf(listings: readonly Listing[], source: ThemeSource, asked: string | undefined): Parsed {
  if (listings.length === 0) return { kind: 'empty', date: asked ?? null, said: 'a heading without rows' }
  if (asked === undefined)
    throw bodyRefused('day_not_stated', 'The list carries no date; name the day it was taken with --date YYYY-MM-DD.')
  const rows = listings.map(listing => themeRow(listing, source, asked)).filter(row => row !== undefined)
  return {
    kind: 'rows',
    rows: { 'theme-taxonomy': rows },
    notes: [`${listings.length - rows.length} of ${listings.length} securities have no industry on a served market`],
  }
}
