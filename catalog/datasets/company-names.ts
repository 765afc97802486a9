import { defineDataset } from '../schema/index.ts'

export default defineDataset({
  slug: 'company-names',
  id: 'company_names',
  title: 'Company names',
  titleZh: '公司中英文簡稱',
  family: 'market_structure',
  description: 'Chinese and English short names of companies, as filed by the companies. Search finds companies by both names.',
  descriptionZh: '各公司申報的中文簡稱與英文簡稱；搜尋時兩者皆可使用。',
  status: 'reference',
  version: '1.0.0',
  columns: {
    ticker: { type: 'text', zh: '公司代號', doc: 'Exchange code of the company.', docZh: '公司的證券代號。' },
    name: { type: 'text', zh: '公司簡稱', doc: 'Short name of the company in Chinese.', docZh: '中文簡稱。' },
    english_name: {
      type: 'text',
      nullable: true,
      zh: '英文簡稱',
      doc: 'Short name of the company in English, for example TSMC. Null if the company filed none.',
      docZh: '英文簡稱，例如 TSMC；未申報時為空值。',
    },
    as_of_date: { type: 'date', zh: '出表日期', doc: 'Date printed on the register.', docZh: '登記資料的出表日期。' },
    source_name: {
      type: 'text',
      provenance: true,
      zh: '來源名稱',
      doc: 'Name of the register from which the row was read.',
      docZh: '資料所取自的登記名冊。',
    },
  },
  grain: ['ticker'],
  key: 'ticker',
  date: 'as_of_date',
  publish: { mode: 'merge' },
  rules: [{ name: 'has_a_name', holds: "name <> ''", doc: 'The name is not blank.', docZh: '名稱不為空白。' }],
  filters: {},
  fields: [
    {
      time: 'snapshot',
      entity: 'company',
      id: 'ticker',
      date: 'as_of_date',
      of: 'the company register, which does not include funds',
      ofZh: '公司基本資料名冊（不含基金）',
      plan: 'free',
      names: { 'security.english_name': 'english_name' },
    },
  ],
  order: [['ticker', 'asc']],
  sortable: ['ticker'],
  search: [{ type: 'symbol', id: 'ticker', title: ['name'], names: ['english_name'], rank: 4 }],
  envelope: { kind: 'A-bare' },
  lineage: {
    families: ['mops_company_register'],
    semantics: 'short_names_of_each_company',
    role: 'reference',
    selected: 'mops_company_register',
    fallbacks: [],
    notes: ['companies_only_no_funds'],
    url: 'https://openapi.twse.com.tw/v1/opendata/t187ap03_L',
    attribution: 'Taiwan Stock Exchange; Taipei Exchange',
    attributionZh: '臺灣證券交易所、證券櫃檯買賣中心',
  },
  knownGaps: {
    companies_without_an_english_name_on_file: {
      en: 'english_name is null for companies that filed no English name.',
      zh: '部分公司未申報英文簡稱，該欄為空值。',
    },
  },
  warnings: ['not_investment_advice'],
  cadence: { every: 'on_change' },
  coverage: { markets: ['TWSE', 'TPEX'], delisted: true, scope: 'company_short_name', type: 'current_snapshot' },
  example: [row('2330', '台積電', 'TSMC'), row('2881', '富邦金', null)],
})

function row(ticker: string, name: string, english: string | null) {
  return { ticker, name, english_name: english, as_of_date: '2026-06-30', source_name: 'mops_company_register' }
}
