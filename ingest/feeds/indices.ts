import type { Row } from '../../catalog/index.ts'
import { bodyRefused, type Feed, jsonRecords, type Parsed, parseBy, requireColumns, textCell } from '../formats/index.ts'

export const BROAD_MARKET_RULE = 'whole_market_index_by_code'

/**
 * Indices of a whole market. IX0001 and IR0001: all listed stocks, without and with dividends.
 * IX0043: all over-the-counter stocks. IX0142 and FRMSA: both markets.
 */
export const BROAD_MARKET: readonly string[] = ['IX0001', 'IR0001', 'IX0043', 'IX0142', 'FRMSA']

const VERSION = '1'
const MARKETS: Readonly<Record<string, string>> = { TWSE: 'TWSE', TPEx: 'TPEX', TPEX: 'TPEX' }

function classificationRow(code: string, name: string, market: string, asOf: string): Row {
  return {
    index_code: code,
    market,
    as_of_date: asOf,
    classification_version: VERSION,
    index_name: name,
    index_type: 'broad_market',
    sector: null,
    industry: null,
    parent_index_code: null,
    is_sector_index: false,
    is_broad_market_index: true,
    theme_primary: null,
    theme_secondary: null,
    classification_source: 'classification_map',
    provider: market.toLowerCase(),
    source_role: 'curated_classification',
    lineage: {
      source_key: { market, as_of_date: asOf, index_code: code },
      mapping_rule: BROAD_MARKET_RULE,
      upstream_lineage: { list: `${market.toLowerCase()}_index_list` },
      classification_version: VERSION,
      excluded_fields_reason: 'broad_market_has_no_sector_industry_or_theme',
    },
    updated_at: `${asOf}T00:00:00+08:00`,
  }
}

/**
 * Each list starts with the exchange's own indices. The TPEx list then repeats the indices of both
 * markets, which the TWSE list also contains.
 */
function readList(value: unknown, requestedDay: string | undefined): Parsed {
  const records = jsonRecords(value)
  requireColumns(records, ['symbol', 'exchange', 'name'], { en: 'a list of indices', zh: '指數清單' })
  if (requestedDay === undefined)
    throw bodyRefused('day_not_stated', {
      en: 'The list has no date. Set the day you downloaded it with --date YYYY-MM-DD.',
      zh: '清單未載明日期；請以 --date YYYY-MM-DD 指定取得清單的日期。',
    })
  const owner = textCell(records.rows[0] ?? {}, 'exchange')
  const market = MARKETS[owner]
  if (market === undefined)
    throw bodyRefused(
      'unknown_market',
      {
        en: `The list is from the exchange "${owner}". Only TWSE and TPEx are supported.`,
        zh: `清單的交易所為「${owner}」；僅支援 TWSE 與 TPEx。`,
      },
      { said: owner },
    )
  const broad = records.rows.filter(row => textCell(row, 'exchange') === owner && BROAD_MARKET.includes(textCell(row, 'symbol')))
  const rows = broad.map(row => classificationRow(textCell(row, 'symbol'), textCell(row, 'name'), market, requestedDay))
  const left = records.rows.length - rows.length
  return {
    kind: 'rows',
    rows: { 'index-classification': rows },
    notes: [`${left} of ${records.rows.length} indices are not broad-market indices of ${market} and were skipped`],
  }
}

const feed: Feed = {
  name: 'indices',
  title: 'TWSE or TPEx index list, from which broad-market indices are classified: JSON (with --date)',
  datasets: ['index-classification'],
  url: 'https://mis.twse.com.tw/stock/index.jsp',
  parse: parseBy({ json: readList }),
}

export default feed
