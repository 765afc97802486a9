import type { Row } from '../../../catalog/index.ts'
import { tickerCell, tidyText } from '../../formats/index.ts'
import { industryOf } from './industries.ts'
import { type Listing, type ListSource, marketOf } from './listing.ts'

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
