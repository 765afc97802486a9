import {
  BOTH_EXCHANGES,
  defineDataset,
  END_OF_A_QUARTER,
  exampleRows,
  FISCAL_QUARTER,
  integersIn,
  QUARTERLY_FILINGS,
  QUARTERS,
  TICKERS,
} from '../schema/index.ts'

const BASES = ['consolidated', 'individual', 'parent_only']

const amount = integersIn('TWD')
/** Declares an item that a statement may lack. */
const itemOf = (...words: Parameters<typeof amount>) => ({ ...amount(...words), nullable: true, mayNotApply: true }) as const

const COLUMNS = {
  ticker: { type: 'text', zh: '公司代號', doc: 'Exchange code of the company.', docZh: '公司的證券代號。' },
  period_end: {
    type: 'date',
    zh: '財報期間截止日',
    doc: 'Last day of the period that the statement covers.',
    docZh: '涵蓋期間的最後一日。',
  },
  basis: {
    type: 'text',
    zh: '財報類別',
    doc: 'Basis of the statement: consolidated, individual (for a company without subsidiaries) or parent_only.',
    docZh: 'consolidated 為合併財報，individual 為個別財報（公司無子公司），parent_only 為個體財報。',
  },
  operating_cash_flow: amount(
    '營業活動之淨現金流入（流出）',
    'Net cash from operating activities, year to date. Negative for an outflow.',
    '本年累計營業活動之淨現金流入；流出為負數。',
  ),
  investing_cash_flow: amount(
    '投資活動之淨現金流入（流出）',
    'Net cash from investing activities, year to date. Negative for an outflow.',
    '本年累計投資活動之淨現金流入；流出為負數。',
  ),
  financing_cash_flow: amount(
    '籌資活動之淨現金流入（流出）',
    'Net cash from financing activities, year to date. Negative for an outflow.',
    '本年累計籌資活動之淨現金流入；流出為負數。',
  ),
  exchange_rate_effect: itemOf(
    '匯率變動對現金及約當現金之影響',
    'Effect of exchange rates on cash, year to date. Null if the statement has no such item.',
    '本年累計匯率變動對現金及約當現金之影響；報表無此項目時為空值。',
  ),
  net_change_in_cash: amount(
    '本期現金及約當現金增加（減少）數',
    'Change in cash and cash equivalents since the start of the year.',
    '自年初起現金及約當現金的增加數；減少為負數。',
  ),
  beginning_cash: amount('期初現金及約當現金餘額', 'Cash and cash equivalents at the start of the year.', '年初現金及約當現金餘額。'),
  ending_cash: amount('期末現金及約當現金餘額', 'Cash and cash equivalents on period_end.', '期末現金及約當現金餘額。'),
  balance_sheet_cash: itemOf(
    '資產負債表帳列之現金及約當現金',
    'Cash and cash equivalents in the balance sheet. Null if the statement does not show them.',
    '資產負債表帳列之現金及約當現金；未列示時為空值。',
  ),
  other_cash_equivalents: itemOf(
    '其他符合國際會計準則第七號現金及約當現金定義之項目',
    'Part of ending_cash that the balance sheet shows under other items. Null if the statement has no such item.',
    '其他符合國際會計準則第七號現金及約當現金定義之項目，即期末餘額中列於資產負債表其他項目的部分；報表無此項目時為空值。',
  ),
  depreciation: itemOf(
    '折舊費用',
    'Depreciation, year to date. Null if the statement has no such item.',
    '本年累計折舊費用；報表無此項目時為空值。',
  ),
  amortization: itemOf(
    '攤銷費用',
    'Amortization, year to date. Null if the statement has no such item.',
    '本年累計攤銷費用；報表無此項目時為空值。',
  ),
  capital_expenditure: itemOf(
    '取得不動產、廠房及設備',
    'Cash paid for property, plant and equipment, year to date. Negative for payments. Null if the statement has no such item.',
    '本年累計取得不動產、廠房及設備的現金；為流出，故為負數。報表無此項目時為空值。',
  ),
  ...FISCAL_QUARTER,
  free_cash_flow: {
    ...itemOf(
      '自由現金流量',
      'Free cash flow, year to date: operating_cash_flow plus capital_expenditure. Null if capital_expenditure is null.',
      '本年累計：operating_cash_flow + capital_expenditure；沒有 capital_expenditure 時為空值。',
    ),
    derived: 'operating_cash_flow + capital_expenditure',
  },
} as const

export default defineDataset({
  slug: 'cash-flow',
  id: 'cash_flow',
  title: 'Cash-flow statements',
  titleZh: '現金流量表',
  family: 'financial_statements',
  description: 'Cash flows of companies from the start of the year to the end of a quarter, as filed. Amounts are in TWD.',
  descriptionZh: '各公司自年初起至各季季末的現金流量（本年累計數），依申報內容；金額單位為新臺幣元。',
  access: { plan: 'pro', credits: 2 },
  status: 'preview',
  version: '1.0.0',
  columns: COLUMNS,
  grain: ['ticker', 'period_end', 'basis'],
  key: 'ticker',
  date: 'period_end',
  publish: { mode: 'merge' },
  drift: 'any',
  rules: [
    {
      name: 'known_basis',
      column: 'basis',
      values: BASES,
      doc: 'The basis is consolidated, individual or parent_only.',
      docZh: '財報類別為已知類別。',
    },
    END_OF_A_QUARTER,
    {
      name: 'net_change_adds_up',
      holds: 'net_change_in_cash = operating_cash_flow + investing_cash_flow + financing_cash_flow + coalesce(exchange_rate_effect, 0)',
      severity: 'acceptable',
      doc: 'The change in cash equals the sum of operating, investing and financing cash flow and the effect of exchange rates.',
      docZh: '現金增減數為三項活動的現金流量與匯率影響之和。',
    },
    {
      name: 'ending_cash_adds_up',
      column: 'ending_cash',
      sum: ['beginning_cash', 'net_change_in_cash'],
      severity: 'acceptable',
      doc: 'Cash at the end of the period equals cash at the start plus the change in cash.',
      docZh: '期末餘額為期初餘額加增減數。',
    },
    {
      name: 'balance_sheet_cash_adds_up',
      holds: 'ending_cash = balance_sheet_cash + coalesce(other_cash_equivalents, 0)',
      severity: 'acceptable',
      doc: 'Cash at the end of the period equals cash in the balance sheet plus other cash equivalents.',
      docZh: '期末餘額為資產負債表帳列現金與其他約當現金項目之和。',
    },
  ],
  reconcile: [
    {
      method: 'cash_of_balance_sheets',
      doc: 'For financial companies, compares balance_sheet_cash with `cash_and_cash_equivalents` in the dataset balance-sheet.',
      docZh: '以現金流量表所列「資產負債表帳列之現金及約當現金」核對「資產負債表」的 `cash_and_cash_equivalents`（僅金融業有此項目）。',
      source: 'exchange_balance_sheets',
      over: 'release',
      against: { dataset: 'balance-sheet', on: { ticker: 't.ticker', period_end: 't.period_end' } },
      holds: "CASE WHEN t.basis <> 'parent_only' THEN t.balance_sheet_cash = o.cash_and_cash_equivalents END",
    },
  ],
  filters: {
    symbol: TICKERS,
    basis: { column: 'basis', op: 'eq', values: BASES, example: 'consolidated', doc: 'Basis of the statements to return.' },
    ...QUARTERS,
  },
  fields: [
    {
      time: 'series',
      entity: 'company',
      id: 'ticker',
      date: 'period_end',
      of: 'the newest cash-flow statement, year to date',
      ofZh: '最近一季現金流量表，本年累計',
      names: {
        'cash_flow.operating': 'operating_cash_flow',
        'cash_flow.investing': 'investing_cash_flow',
        'cash_flow.financing': 'financing_cash_flow',
        'cash_flow.net_change': 'net_change_in_cash',
        'cash_flow.ending_cash': 'ending_cash',
        'cash_flow.free_cash_flow': 'free_cash_flow',
      },
    },
  ],
  order: [
    ['period_end', 'desc'],
    ['ticker', 'asc'],
  ],
  sortable: ['period_end'],
  search: [{ type: 'symbol', id: 'ticker', param: 'symbol' }],
  envelope: { kind: 'B', fieldGroup: 'cash_flow', view: 'quarterly_time_series' },
  lineage: {
    ...BOTH_EXCHANGES,
    families: ['mops_cash_flow_statements'],
    semantics: 'year_to_date_cash_flows_by_company_and_quarter',
    selected: 'mops_cash_flow_statements',
    notes: ['year_to_date_cumulative', 'thousands_of_twd_are_converted_to_twd', 'comparative_figures_are_not_read'],
    url: 'https://mops.twse.com.tw/mops/web/t164sb05',
    attribution: 'Market Observation Post System (MOPS), TWSE',
    attributionZh: '公開資訊觀測站（臺灣證券交易所）',
  },
  knownGaps: {
    pages_of_single_companies: {
      en: 'The source has one page per company and quarter. Statements that were not collected are missing.',
      zh: '來源每家公司每季各一頁；未收錄的報表不在此資料集。',
    },
    statements_before_2013_are_not_read: {
      en: 'Statements before 2013 are not included, because they follow other accounting standards and have another form.',
      zh: '2013 年以前的報表採用其他會計準則，格式不同，不在此資料集。',
    },
    pages_of_one_company_seen: {
      en: 'The feed was verified with two consolidated statements of one company. The feed may refuse pages in other forms.',
      zh: '匯入程式僅以一家公司的兩份合併報表驗證；其他格式的頁面可能無法匯入。',
    },
    announcement_date_is_not_on_the_pages: {
      en: 'The pages do not state the announcement date of a statement.',
      zh: '來源頁面未載明財報的公告日。',
    },
    no_scheduled_producer: {
      en: 'Updates have no fixed schedule, so no next update date is announced.',
      zh: '更新沒有固定排程，因此不預告下次更新日期。',
    },
  },
  warnings: ['not_investment_advice', 'preview_schema_may_change'],
  cadence: QUARTERLY_FILINGS,
  coverage: { markets: ['TWSE', 'TPEX'], delisted: true, scope: 'cash_flows_of_companies', type: 'quarterly_time_series' },
  example: exampleRows(COLUMNS, [
    '2330',
    '2026-06-30',
    'consolidated',
    1_100_000_000_000,
    -620_000_000_000,
    -300_000_000_000,
    -30_000_000_000,
    150_000_000_000,
    2_700_000_000_000,
    2_850_000_000_000,
    2_850_500_000_000,
    -500_000_000,
    340_000_000_000,
    5_000_000_000,
    -600_000_000_000,
    2026,
    2,
    500_000_000_000,
  ]),
})
