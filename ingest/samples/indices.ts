import { industryMood, marketMood } from './prices.ts'
import { lastSession, sessions } from './sessions.ts'

const BROAD = [
  ['FRMSA', 'TWSE', '寶島股價指數'],
  ['IX0001', 'TWSE', '發行量加權股價指數'],
  ['IX0043', 'TPEX', '櫃買指數'],
  ['IX0118', 'TPEX', '櫃買富櫃200指數'],
  ['IX0142', 'TPEX', '臺灣全市場指數'],
] as const

/** Generates one classification per broad-market index. */
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

/**
 * Code, name, mean value, and a second path with its weight. An index follows the market and the
 * second path.
 */
const INDICES = [
  ['IX0001', '發行量加權股價指數', 30_000, '半導體業', 0.2],
  ['IX0027', '電子工業類指數', 1_700, '半導體業', 0.35],
  ['IX0039', '金融保險類指數', 2_400, '金融保險業', 0.35],
] as const

/** Differences from the price index: factor at the start, and growth per day. */
const WITH_DIVIDENDS = { start: 2.2, daily: 0.03 / 243 }

/**
 * Generates three indices and their total return indices. The values follow the same random paths
 * as the quotes.
 */
export function marketIndices(until: string) {
  const days = sessions(until)
  return INDICES.flatMap(index => [0, 1].map(dividends => ({ index, dividends }))).flatMap(({ index, dividends }) =>
    days.map(({ day, number }) => {
      const [code, price] = index
      const worth = (at: number): number => (dividends ? WITH_DIVIDENDS.start * (1 + WITH_DIVIDENDS.daily * (at - 4_000)) : 1)
      const [index_code, name] = dividends ? [code.replace('IX', 'IR'), price.replace(/指數$/, '報酬指數')] : [code, price]
      const value = Number((close(index, number) * worth(number)).toFixed(2))
      const before = Number((close(index, number - 1) * worth(number - 1)).toFixed(2))
      const change = Number((value - before).toFixed(2))
      return { index_code, name, trade_date: day, value, change, change_pct: Number(((100 * change) / before).toFixed(2)) }
    }),
  )
}

const close = ([, , around, industry, share]: (typeof INDICES)[number], number: number): number =>
  Number((around * Math.exp(0.7 * ((1 - share) * marketMood(number) + share * industryMood(industry)(number)))).toFixed(2))
