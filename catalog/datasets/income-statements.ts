import { QUARTERLY_FILINGS } from '../cadence.ts'
import { defineDataset } from '../dataset.ts'

export default defineDataset({
  slug: 'income-statements',
  id: 'income_statements',
  title: 'Income statements',
  titleZh: '綜合損益表',
  family: 'financial_statements',
  description:
    'Income statement lines as companies file them each season: cumulative from the start of the year, in thousands of TWD. The quarterly and annual reports are made from these.',
  status: 'verified',
  version: '1.0.0',
  columns: {
    ticker: { type: 'text', zh: '公司代號', doc: 'Exchange code of the company.' },
    market: { type: 'text', zh: '市場', doc: 'TWSE for listed companies, TPEX for those traded over the counter.' },
    name: { type: 'text', zh: '公司名稱', doc: 'Short name of the company.' },
    fiscal_year: { type: 'integer', zh: '年度', doc: 'Fiscal year, Gregorian.' },
    season: { type: 'integer', zh: '季別', doc: 'Last quarter covered, 1 to 4; 4 is the whole year.' },
    period_end: { type: 'date', zh: '財報期間截止日', doc: 'Last day covered.' },
    industry_schema: {
      type: 'text',
      zh: '報表格式',
      doc: 'Form of the statement: ci general industry, fh financial holding, basi bank, bd securities, ins insurance, mim other.',
    },
    revenue: {
      type: 'number',
      unit: 'TWD thousand',
      nullable: true,
      zh: '營業收入',
      doc: 'Revenue since the start of the year; null where the form has no such line.',
    },
    gross_profit: {
      type: 'number',
      unit: 'TWD thousand',
      nullable: true,
      zh: '營業毛利（毛損）',
      doc: 'Gross profit since the start of the year; null where the form has no such line.',
    },
    operating_income: {
      type: 'number',
      unit: 'TWD thousand',
      nullable: true,
      zh: '營業利益（損失）',
      doc: 'Operating income since the start of the year; null where the form has no such line.',
    },
    net_income: {
      type: 'number',
      unit: 'TWD thousand',
      nullable: true,
      zh: '本期淨利（淨損）',
      doc: 'Net income since the start of the year, attributable to the parent’s owners where stated, otherwise of the period.',
    },
    eps: {
      type: 'number',
      unit: 'TWD per share',
      nullable: true,
      zh: '基本每股盈餘',
      doc: 'Basic earnings per share since the start of the year.',
    },
  },
  grain: ['ticker', 'fiscal_year', 'season'],
  key: 'ticker',
  date: 'period_end',
  publish: { mode: 'merge', body: ['market', 'period_end'] },
  rules: [
    { name: 'known_market', holds: "market IN ('TWSE', 'TPEX')", doc: 'The market is TWSE or TPEX.' },
    { name: 'known_season', holds: 'season BETWEEN 1 AND 4', doc: 'The season is 1, 2, 3 or 4.' },
    {
      name: 'known_form',
      holds: "industry_schema IN ('ci', 'fh', 'basi', 'bd', 'ins', 'mim')",
      doc: 'The form is one of the six that companies file.',
    },
  ],
  filters: {},
  order: [
    ['period_end', 'desc'],
    ['ticker', 'asc'],
  ],
  sortable: ['period_end'],
  search: [{ type: 'symbol', id: 'ticker', title: ['name'], market: 'market', rank: 3 }],
  envelope: { kind: 'A-bare' },
  lineage: {
    families: ['mops_income_statements', 'twse_open_data', 'tpex_open_data'],
    semantics: 'year_to_date_income_statement_lines',
    role: 'canonical',
    selected: 'mops_income_statements',
    fallbacks: [],
    notes: ['year_to_date_cumulative', 'thousands_of_twd_as_filed'],
    url: 'https://mops.twse.com.tw/',
    attribution: 'Taiwan Stock Exchange; Taipei Exchange',
  },
  knownGaps: ['announcement_date_is_not_in_the_tables', 'restatements_replace_earlier_figures'],
  warnings: ['not_investment_advice'],
  cadence: QUARTERLY_FILINGS,
  pointInTime: 'none',
  coverage: { markets: ['TWSE', 'TPEX'], delisted: false },
  example: [
    row('2330', '台積電', 'ci', [900_000_000, 528_000_000, 430_000_000, 388_950_000, 15]),
    row('2882', '國泰金', 'fh', [60_000_000, null, null, 28_000_000, 1.9]),
  ],
})

function row(ticker: string, name: string, form: string, [revenue, gross, operating, net, eps]: (number | null)[]) {
  return {
    ticker,
    market: 'TWSE',
    name,
    fiscal_year: 2026,
    season: 1,
    period_end: '2026-03-31',
    industry_schema: form,
    revenue,
    gross_profit: gross,
    operating_income: operating,
    net_income: net,
    eps,
  }
}
