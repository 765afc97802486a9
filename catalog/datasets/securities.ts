import { defineDataset, LISTED_SECURITY, TICKER_LIST } from '../schema/index.ts'

/**
 * Source of rows from the lists of delisted securities. The date of these rows is the day of the
 * delisting.
 */
const DELISTINGS = 'exchange_delisting_list'
const IS_DELISTED = `source_name = '${DELISTINGS}'`

export default defineDataset({
  slug: 'securities',
  id: 'securities',
  title: 'Securities',
  titleZh: '有價證券',
  family: 'market_structure',
  description:
    'Name, type, industry, ISIN and listing date of all securities in the ISIN lists of both markets, including warrants and funds. Delisted securities are included with their delisting date. Search uses the names in this dataset.',
  descriptionZh:
    '兩市場 ISIN 清單上的所有證券，含權證與基金，以及已終止上市（櫃）的證券與其終止日期：名稱、種類、產業、國際證券編碼與掛牌日期；搜尋使用此處的名稱。',
  access: { plan: 'free', credits: 1 },
  status: 'reference',
  version: '1.1.0',
  columns: {
    ...LISTED_SECURITY,
    as_of_date: {
      ...LISTED_SECURITY.as_of_date,
      doc: 'Date of the ISIN list. For a delisted security, the delisting day.',
      docZh: '清單的基準日；已終止上市（櫃）者為終止日期。',
    },
    delisted_on: {
      type: 'date',
      nullable: true,
      mayNotApply: true,
      zh: '終止上市（櫃）日期',
      doc: 'First day without trading of a delisted security. Null for a listed security.',
      docZh: '終止上市（櫃）日，即停止交易的首日；仍在上市（櫃）者為空值。',
      virtual: `CASE WHEN ${IS_DELISTED} THEN as_of_date END`,
    },
    status: {
      type: 'text',
      zh: '掛牌狀態',
      doc: 'Status of the security: listed (in the ISIN list) or delisted (no longer on the market).',
      docZh: '仍在上市（櫃）證券清單者為 listed，已終止上市（櫃）者為 delisted。',
      virtual: `CASE WHEN ${IS_DELISTED} THEN 'delisted' ELSE 'listed' END`,
    },
  },
  grain: ['ticker'],
  key: 'ticker',
  date: 'as_of_date',
  publish: { mode: 'merge' },
  from: {
    inputs: ['listed-securities', 'delistings'],
    optional: ['delistings'],
    by: 'key',
    // Omits a delisted security if its code is listed again, or is listed in the other market.
    sql: `
      SELECT * FROM listed_securities
      UNION ALL BY NAME
      SELECT ticker, market, company_name AS name, delisting_date AS as_of_date, '${DELISTINGS}' AS source_name
      FROM delistings WHERE ticker NOT IN (SELECT ticker FROM listed_securities)
      QUALIFY row_number() OVER (PARTITION BY ticker ORDER BY delisting_date DESC, market) = 1`,
  },
  rules: [
    {
      name: 'known_market',
      column: 'market',
      values: ['TWSE', 'TPEX'],
      doc: 'The market is TWSE or TPEX.',
      docZh: '市場為 TWSE 或 TPEX。',
    },
    { name: 'has_a_name', holds: "name <> ''", doc: 'The name is not blank.', docZh: '名稱不為空白。' },
  ],
  filters: {
    symbol: { ...TICKER_LIST, column: 'ticker' },
    isin: {
      column: 'isin',
      op: 'eq',
      fold: 'upper',
      pattern: '[A-Za-z]{2}[0-9A-Za-z]{10}',
      example: 'TW0002330008',
      doc: 'ISIN to return.',
    },
    market: { column: 'market', op: 'eq', values: ['TWSE', 'TPEX'], fold: 'upper', example: 'TWSE', doc: 'Market to return.' },
    security_type: {
      column: 'security_type',
      op: 'eq',
      example: '股票',
      doc: 'Security type to return, as written in the ISIN list, for example 股票.',
    },
    industry: { column: 'industry', op: 'eq', example: '半導體業', doc: 'Industry to return, by its official name.' },
    listed_from: { column: 'listed_on', op: 'from', example: '2026-01-01', doc: 'First listing date to return, inclusive.' },
    listed_to: { column: 'listed_on', op: 'to', example: '2026-06-30', doc: 'Last listing date to return, inclusive.' },
    status: { column: 'status', op: 'eq', values: ['listed', 'delisted'], example: 'listed', doc: 'Status of the securities to return.' },
    delisted_from: { column: 'delisted_on', op: 'from', example: '2026-01-01', doc: 'First delisting date to return, inclusive.' },
    delisted_to: { column: 'delisted_on', op: 'to', example: '2026-06-30', doc: 'Last delisting date to return, inclusive.' },
  },
  fields: [
    {
      time: 'snapshot',
      entity: 'company',
      id: 'ticker',
      date: 'as_of_date',
      of: 'the ISIN list',
      ofZh: '國際證券辨識號碼（ISIN）一覽表',
      names: {
        'security.name': 'name',
        'security.market': 'market',
        'security.type': 'security_type',
        'security.industry': 'industry',
        'security.isin': 'isin',
        'security.listed_on': 'listed_on',
      },
    },
  ],
  order: [['ticker', 'asc']],
  sortable: ['ticker', 'listed_on'],
  search: [
    {
      type: 'symbol',
      id: 'ticker',
      codes: ['isin'],
      title: ['name'],
      subtitle: ['security_type', 'industry'],
      market: 'market',
      delistedOn: 'delisted_on',
      param: 'symbol',
    },
  ],
  envelope: { kind: 'B', fieldGroup: 'reference', view: 'reference_snapshot' },
  lineage: {
    families: ['twse_isin_list', 'exchange_delisting_lists'],
    semantics: 'name_and_kind_of_each_security',
    role: 'reference',
    selected: 'twse_isin_list',
    fallbacks: [],
    notes: ['delisted_securities_have_the_names_of_the_delisting_lists'],
    url: 'https://isin.twse.com.tw/',
    attribution: 'Taiwan Stock Exchange; Taipei Exchange',
    attributionZh: '臺灣證券交易所、證券櫃檯買賣中心',
  },
  knownGaps: {
    delisted_securities_have_no_type: {
      en: 'The delisting lists have no type, industry, ISIN or listing date, and contain companies only. Earlier releases have these values for securities that were still listed.',
      zh: '終止上市（櫃）清單只列公司，沒有種類、產業、國際證券編碼與掛牌日期。當時仍掛牌的證券，可在本資料集較早的版本中查到這些欄位。',
    },
    english_names_are_a_field_of_the_company_register: {
      en: 'The ISIN list has no English names. English names of companies are in the query field security.english_name. English names of TWSE funds are in the query field fund.english_name. TPEx funds, warrants and other securities have Chinese names only.',
      zh: '清單沒有英文名稱：公司申報的英文簡稱可用查詢欄位 security.english_name 取得，上市基金的英文名稱可用 fund.english_name 取得；上櫃基金、權證及其他證券僅有中文名稱。',
    },
  },
  warnings: ['not_investment_advice'],
  cadence: { every: 'on_change' },
  coverage: { markets: ['TWSE', 'TPEX'], delisted: true, scope: 'listed_security', type: 'current_snapshot' },
  example: [
    row('2330', '台積電', '股票', '半導體業', ['TW0002330008', '1994-09-05', 'ESVUFR']),
    row('2881', '富邦金', '股票', '金融保險業', [null, null, null]),
    {
      ...row('2888', '新光金', null, null, [null, null, null]),
      as_of_date: '2025-07-24',
      source_name: DELISTINGS,
      delisted_on: '2025-07-24',
      status: 'delisted',
    },
  ],
})

function row(ticker: string, name: string, type: string | null, industry: string | null, [isin, listed, cfi]: (string | null)[]) {
  return {
    ticker,
    market: 'TWSE',
    name,
    security_type: type,
    industry,
    isin,
    listed_on: listed,
    cfi,
    as_of_date: '2026-06-30',
    source_name: 'twse_isin_list',
    delisted_on: null,
    status: 'listed',
  }
}
