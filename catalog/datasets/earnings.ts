import {
  defineDataset,
  FOURTH_QUARTER,
  NO_ANNOUNCEMENT_DATE,
  NO_QUARTER_WITHOUT_THE_ONE_BEFORE,
  ONE_TICKER,
  QUARTERLY_FILINGS,
} from '../schema/index.ts'

/** SQL window over one fiscal year of a company and report type, up to the current row. */
const YEAR = 'PARTITION BY t.ticker, t.report_type, left(t.fiscal_period, 4) ORDER BY t.fiscal_period'

export default defineDataset({
  slug: 'earnings',
  id: 'earnings',
  path: '/v1/earnings',
  title: 'Earnings',
  titleZh: '財報損益',
  family: 'financial_statements',
  description:
    'Main income statement items of each company in TWD, for single quarters and full years. Figures that are not announced yet are null.',
  descriptionZh: '各公司各財報期間的損益表主要項目，含單季與全年，單位為新臺幣元；尚未公告的數字為空值。',
  access: { plan: 'pro', credits: 2 },
  status: 'verified',
  version: '1.0.0',
  columns: {
    ticker: { type: 'text', zh: '公司代號', doc: 'Exchange code of the company.', docZh: '公司的證券代號。' },
    fiscal_period: {
      type: 'text',
      zh: '財報期間',
      doc: 'Quarter, for example 2026-Q1, or fiscal year, for example 2025.',
      docZh: '季度如 2026-Q1，會計年度如 2025。',
    },
    report_type: {
      type: 'text',
      zh: '財報類別',
      doc: 'Length of the period: quarterly (a single quarter) or annual (a full year).',
      docZh: 'quarterly 為單季，annual 為全年。',
    },
    announcement_date: {
      type: 'date',
      nullable: true,
      zh: '公告日',
      doc: 'Date on which the company announced the report. Null if unknown.',
      docZh: '公司公告財報的日期；不詳時為空值。',
    },
    revenue: {
      type: 'number',
      unit: 'TWD',
      nullable: true,
      zh: '營業收入',
      doc: 'Operating revenue of the period. Negative in rare cases. Null for banks, which report no operating revenue.',
      docZh: '該期間的營業收入，少數情況為負數。銀行業報表沒有此項目，為空值。',
    },
    gross_profit: {
      type: 'number',
      unit: 'TWD',
      nullable: true,
      zh: '營業毛利（毛損）',
      doc: 'Gross profit of the period, after unrealized and realized profit on sales (營業毛利（毛損）淨額). Negative for a loss. Null if the industry’s statement has no such item.',
      docZh: '該期間的營業毛利淨額，即調整未實現與已實現銷貨損益後的金額，毛損為負數；該產業的報表沒有此項目時為空值。',
    },
    operating_income: {
      type: 'number',
      unit: 'TWD',
      nullable: true,
      zh: '營業利益（損失）',
      doc: 'Operating income of the period. Negative for a loss. Null if the industry’s statement has no such item.',
      docZh: '該期間的營業利益，損失為負數；該產業的報表沒有此項目時為空值。',
    },
    net_income: {
      type: 'number',
      unit: 'TWD',
      nullable: true,
      zh: '本期淨利（淨損）',
      doc: 'Net income attributable to owners of the parent if reported, otherwise net income of the period. Negative for a loss. Null if not announced.',
      docZh: '歸屬於母公司業主的淨利；未列示時為本期淨利。虧損為負數。',
    },
    eps: {
      type: 'number',
      unit: 'TWD per share',
      nullable: true,
      zh: '基本每股盈餘',
      doc: 'Basic earnings per share of the period. Negative for a loss. Null if not announced.',
      docZh: '該期間的基本每股盈餘；虧損為負數。',
    },
    eps_surprise_pct: {
      type: 'number',
      unit: 'percent',
      nullable: true,
      zh: '每股盈餘與預期差異率（%）',
      doc: 'Difference between actual and consensus earnings per share, in percent of the consensus. Null if no consensus is available.',
      docZh: '實際每股盈餘與市場預期的差異百分比（實際除以預期減一）；沒有市場預期時為空值。',
    },
    period_end: { type: 'date', zh: '財報期間截止日', doc: 'Last day of the fiscal period.', docZh: '財報期間的最後一日。' },
  },
  grain: ['ticker', 'fiscal_period', 'report_type'],
  key: 'ticker',
  date: 'period_end',
  publish: { mode: 'merge' },
  rules: [
    {
      name: 'period_matches_type',
      holds:
        "CASE report_type WHEN 'quarterly' THEN regexp_full_match(fiscal_period, '\\d{4}-Q[1-4]') WHEN 'annual' THEN regexp_full_match(fiscal_period, '\\d{4}') ELSE false END",
      doc: 'The fiscal period is a quarter in quarterly rows and a year in annual rows.',
      docZh: '單季資料列標示季度，全年資料列標示年度。',
    },
    {
      name: 'announced_after_period',
      holds: 'announcement_date IS NULL OR announcement_date > period_end',
      doc: 'The announcement date is after the last day of the period.',
      docZh: '財報於期間結束後公告。',
    },
  ],
  reconcile: [
    {
      method: 'quarters_add_up_to_filed',
      doc: 'Adds up revenue and net income over the quarters of a year, and compares the sums with the filed year-to-date figures of the latest quarter. Compares annual rows with the filed full-year figures. Years with a missing quarter cannot be compared.',
      docZh: '將本年各季的營業收入與淨利加總，與最近一季申報的累計數比對；全年資料列則與申報的全年數比對。缺少任一季的年度無法比對。',
      source: 'mops_income_statements',
      over: 'release',
      against: {
        dataset: 'income-statements',
        on: {
          ticker: 't.ticker',
          fiscal_year: 'left(t.fiscal_period, 4)::BIGINT',
          season: "CASE t.report_type WHEN 'annual' THEN 4 ELSE right(t.fiscal_period, 1)::BIGINT END",
        },
      },
      holds: `CASE WHEN ${soFar('net_income')} THEN ${addsUp('net_income')} AND (NOT ${soFar('revenue')} OR ${addsUp('revenue')}) END`,
    },
  ],
  filters: {
    symbol: ONE_TICKER,
    period: {
      column: 'fiscal_period',
      op: 'period',
      pattern: '\\d{4}(-?Q[1-4])?',
      fold: 'upper',
      example: '2026-Q1',
      doc: 'Quarter, for example 2026-Q1 or 2026Q1, or year, for example 2026.',
    },
    report_type: {
      column: 'report_type',
      op: 'first_of',
      values: ['quarterly', 'annual'],
      example: 'quarterly',
      doc: '`quarterly` or `annual`. Default: `quarterly` if the company reports quarters, otherwise `annual`.',
    },
    latest: {
      column: 'period_end',
      op: 'latest',
      values: ['true', 'false'],
      example: 'true',
      doc: 'If `true`, returns the latest period only.',
    },
  },
  fields: [
    {
      time: 'announced',
      entity: 'company',
      id: 'ticker',
      date: 'period_end',
      period: 'fiscal_period',
      announced: 'announcement_date',
      rows: { column: 'report_type', equals: 'quarterly' },
      of: 'the latest announced single quarter',
      ofZh: '最近已公告的單季',
      names: {
        'earnings.revenue': 'revenue',
        'earnings.gross_profit': 'gross_profit',
        'earnings.operating_income': 'operating_income',
        'earnings.net_income': 'net_income',
        'earnings.eps': 'eps',
        'earnings.eps_surprise_pct': 'eps_surprise_pct',
      },
      defaults: ['earnings.revenue', 'earnings.net_income', 'earnings.eps'],
    },
    {
      time: 'announced',
      entity: 'company',
      id: 'ticker',
      date: 'period_end',
      period: 'fiscal_period',
      announced: 'announcement_date',
      rows: { column: 'report_type', equals: 'annual' },
      of: 'the latest announced fiscal year',
      ofZh: '最近已公告的會計年度',
      names: {
        'annual_earnings.revenue': 'revenue',
        'annual_earnings.gross_profit': 'gross_profit',
        'annual_earnings.operating_income': 'operating_income',
        'annual_earnings.net_income': 'net_income',
        'annual_earnings.eps': 'eps',
        'annual_earnings.eps_surprise_pct': 'eps_surprise_pct',
      },
    },
  ],
  order: [
    ['period_end', 'desc'],
    ['report_type', 'desc'],
  ],
  sortable: ['period_end', 'announcement_date'],
  search: [{ type: 'symbol', id: 'ticker', param: 'symbol' }],
  envelope: { kind: 'D', role: 'canonical', freshness: false },
  lineage: {
    families: ['mops_income_statements', 'twse_open_data', 'tpex_open_data'],
    semantics: 'income_statement_headlines_by_company_and_period',
    role: 'canonical',
    selected: 'mops_income_statements',
    fallbacks: [],
    notes: ['filed_figures_are_year_to_date_and_are_differenced_into_quarters', 'thousands_as_filed_are_stated_in_twd'],
    url: 'https://mops.twse.com.tw/',
    attribution: 'Taiwan Stock Exchange; Taipei Exchange',
    attributionZh: '臺灣證券交易所、證券櫃檯買賣中心',
  },
  knownGaps: {
    announcement_date_has_no_bulk_source: NO_ANNOUNCEMENT_DATE,
    eps_surprise_has_no_public_source: {
      en: 'No public source publishes consensus earnings. eps_surprise_pct is null unless an imported file supplies it.',
      zh: '市場預期盈餘沒有公開來源；除非匯入檔案另行提供，eps_surprise_pct 為空值。',
    },
    fourth_quarter_is_annual_minus_three_quarters: FOURTH_QUARTER,
    quarter_missing_when_an_earlier_quarter_is_missing: NO_QUARTER_WITHOUT_THE_ONE_BEFORE,
    financial_firms_have_no_gross_profit: {
      en: 'Statements of banks, insurers and other financial firms have no gross profit, so gross_profit is null for these firms.',
      zh: '銀行、保險等金融業的報表沒有營業毛利，該欄為空值。',
    },
  },
  warnings: ['not_investment_advice'],
  cadence: QUARTERLY_FILINGS,
  knownAt: 'announcement_date',
  coverage: { markets: ['TWSE', 'TPEX'], delisted: false, scope: 'company_income_statement', type: 'fiscal_period_series' },
  example: [
    row('2026-Q1', '2026-05-14', '2026-03-31', [900_000, 528_000, 430_000, 388_950, 15]),
    row('2025-Q4', '2026-02-26', '2025-12-31', [860_000, 498_000, 405_000, 363_020, 14]),
    row('2025-Q3', null, '2025-09-30', [820_000, 471_000, 380_000, 337_090, 13]),
  ],
})

/** True if all quarters of the year up to the row's quarter have an amount. */
function soFar(amount: string): string {
  return `count(t.${amount}) OVER (${YEAR}) = CASE t.report_type WHEN 'annual' THEN 1 ELSE o.season END`
}

/**
 * True if the quarters add up to the published statement, within one TWD. Companies file in
 * thousands of TWD.
 */
function addsUp(amount: string): string {
  return `abs(sum(t.${amount}) OVER (${YEAR}) - 1000 * o.${amount}) < 1`
}

/** Returns an example row. Amounts are in millions of TWD. */
function row(
  period: string,
  announced: string | null,
  end: string,
  [revenue, gross, operating, net, eps]: [number, number, number, number, number],
) {
  return {
    ticker: '2330',
    fiscal_period: period,
    report_type: 'quarterly',
    announcement_date: announced,
    revenue: revenue * 1_000_000,
    gross_profit: gross * 1_000_000,
    operating_income: operating * 1_000_000,
    net_income: net * 1_000_000,
    eps,
    eps_surprise_pct: null,
    period_end: end,
  }
}
