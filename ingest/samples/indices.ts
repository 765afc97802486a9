import { lastSession } from './sessions.ts'

/** Broad-market indices: code, market of the list, name. */
const BROAD = [
  ['FRMSA', 'TWSE', '寶島股價指數'],
  ['IX0001', 'TWSE', '發行量加權股價指數'],
  ['IX0043', 'TPEX', '櫃買指數'],
  ['IX0118', 'TPEX', '櫃買富櫃200指數'],
  ['IX0142', 'TPEX', '臺灣全市場指數'],
] as const

/** One classification per broad-market index, by code. */
export function indices(until: string) {
  const asOf = lastSession(until)
  return BROAD.map(([code, market, name]) => ({
    index_code: code,
    market,
    as_of_date: asOf,
    classification_version: 'synthetic_sample_1',
    index_name: name,
    index_type: 'broad_market',
    sector: null,
    industry: null,
    parent_index_code: null,
    is_sector_index: false,
    is_broad_market_index: true,
    theme_primary: null,
    theme_secondary: null,
    classification_source: 'synthetic_sample',
    provider: 'synthetic_sample',
    source_role: 'synthetic_sample',
    lineage: lineage(code, market, asOf),
    updated_at: `${asOf}T18:00:00+08:00`,
  }))
}

const lineage = (code: string, market: string, asOf: string) => ({
  synthetic: true,
  source_key: { market, as_of_date: asOf, index_code: code },
  mapping_rule: 'whole_market_index_by_code',
  upstream_lineage: { list: 'synthetic_sample' },
  classification_version: 'synthetic_sample_1',
  excluded_fields_reason: 'broad_market_has_no_sector_industry_or_theme',
})
