import { BOTH_EXCHANGES, defineDataset, exampleRows, KNOWN_MARKET, MARKET, NAMES_ONLY, SECURITY, TICKERS } from '../schema/index.ts'

const KINDS = ['dividend', 'rights', 'rights_and_dividend'] as const

const shares = (zh: string, doc: string, docZh: string) =>
  ({ type: 'number', unit: 'shares', nullable: true, mayNotApply: true, zh, doc, docZh }) as const
const ratio = (zh: string, doc: string, docZh: string) => ({ type: 'number', unit: 'ratio', nullable: true, zh, doc, docZh }) as const
const perShare = (zh: string, doc: string, docZh: string) =>
  ({ type: 'number', unit: 'TWD per share', nullable: true, zh, doc, docZh }) as const

const COLUMNS = {
  ...SECURITY,
  ex_date: {
    type: 'date',
    zh: '除權除息日期',
    doc: 'Ex-day: first trading day without the right or dividend.',
    docZh: '不再享有該次權利或股利的第一個交易日。',
  },
  name: { type: 'text', zh: '名稱', doc: 'Short name of the security.', docZh: '證券簡稱。' },
  kind: {
    type: 'text',
    zh: '除權息',
    doc: `Type of ex-day: ${KINDS.join(', ')}.`,
    docZh: '除權息類別：dividend 除息、rights 除權、rights_and_dividend 除權又除息。',
  },
  cash_dividend: perShare('現金股利', 'Cash paid per share. Null if not announced.', '每股配發的現金；尚未公告時為空值。'),
  stock_dividend_ratio: ratio(
    '無償配股率',
    'Number of new shares issued free per share held. Null if no new shares are issued free.',
    '每股無償配發的新股數；沒有時為空值。',
  ),
  subscription_ratio: ratio(
    '現金增資配股率',
    'Number of shares offered for cash per share held. Null if no shares are offered.',
    '每股可認購的現金增資股數；沒有時為空值。',
  ),
  subscription_price: perShare(
    '現金增資認購價',
    'Subscription price per share offered for cash. Null without an offering.',
    '現金增資每股認購價；沒有現金增資時為空值。',
  ),
  shares_offered: shares('公開承銷股數', 'Number of shares offered to the public. Null if not announced.', '公開承銷股數。'),
  shares_for_employees: shares('員工認購股數', 'Number of shares reserved for employees. Null if not announced.', '員工認購股數。'),
  shares_for_holders: shares(
    '原股東認購股數',
    'Number of shares offered to existing shareholders. Null if not announced.',
    '原股東認購股數。',
  ),
  subscription_per_thousand: shares(
    '按持股比例仟股認購',
    'Number of shares to which a holder of 1,000 shares may subscribe. Null if not announced.',
    '每持有 1,000 股可認購的股數。',
  ),
} as const

export default defineDataset({
  slug: 'ex-rights-forecast',
  id: 'ex_rights_forecast',
  title: 'Announced ex-days',
  titleZh: '除權除息預告表',
  family: 'companies_events',
  description: 'Ex-dividend and ex-rights days that the exchanges announced, with the distributions of each day.',
  descriptionZh: '交易所預告的除權除息日與配發內容。',
  access: { plan: 'free', credits: 1 },
  status: 'preview',
  version: '1.0.0',
  columns: COLUMNS,
  grain: ['ticker', 'ex_date'],
  key: 'ticker',
  date: 'ex_date',
  daysAhead: 400,
  publish: { mode: 'merge' },
  drift: 'any',
  rules: [
    KNOWN_MARKET,
    {
      name: 'known_kind',
      column: 'kind',
      values: KINDS,
      doc: 'The kind is dividend, rights or rights_and_dividend.',
      docZh: '類別為三種之一。',
    },
    {
      name: 'nothing_negative',
      column: ['cash_dividend', 'stock_dividend_ratio', 'subscription_ratio', 'subscription_price', 'subscription_per_thousand'],
      min: 0,
      doc: 'Distributions are not negative.',
      docZh: '配發不為負數。',
    },
    {
      name: 'ratio_per_share',
      column: ['stock_dividend_ratio', 'subscription_ratio'],
      below: 100,
      doc: 'Ratios are per share. A ratio of 100 or more indicates a ratio per thousand shares.',
      docZh: '配股率以每股表示；達 100 即視為誤以每仟股計。',
    },
  ],
  reconcile: [
    {
      method: 'kind_of_the_result',
      doc: 'Compares the announced type of ex-day with the type in the dataset ex-rights.',
      docZh: '比對預告與除權除息計算結果的類別。',
      source: 'exchange_ex_rights_results',
      over: 'release',
      against: { dataset: 'ex-rights', on: { ticker: 't.ticker', ex_date: 't.ex_date' } },
      holds: 't.kind = o.kind',
    },
  ],
  filters: {
    symbol: TICKERS,
    market: MARKET,
    start_date: { column: 'ex_date', op: 'from', example: '2026-06-01', doc: 'First ex-day to return, inclusive.' },
    end_date: { column: 'ex_date', op: 'to', example: '2026-12-31', doc: 'Last ex-day to return, inclusive.' },
    kind: { column: 'kind', op: 'eq', values: KINDS, example: 'dividend', doc: 'Type of ex-day to return.' },
  },
  order: [
    ['ex_date', 'desc'],
    ['ticker', 'asc'],
  ],
  sortable: ['ex_date'],
  search: [{ type: 'symbol', id: 'ticker', title: ['name'], market: 'market', rank: 5, param: 'symbol' }],
  envelope: { kind: 'B', fieldGroup: 'ex_rights_forecast', view: 'event_calendar' },
  lineage: {
    ...BOTH_EXCHANGES,
    families: ['twse_twt48u', 'tpex_exright_prepost'],
    semantics: 'announced_ex_day_by_security',
    selected: 'exchange_ex_day_forecasts',
    notes: ['the_result_of_the_day_is_in_ex_rights'],
    url: 'https://openapi.twse.com.tw/',
  },
  knownGaps: {
    no_captured_file_seen: NAMES_ONLY,
    withdrawn_ex_days_stay: {
      en: 'A postponed or withdrawn ex-day keeps its row in this dataset. The dataset ex-rights contains only ex-days that took place.',
      zh: '延後或取消的除權息日仍保留其資料列；實際除權息日見「除權除息計算結果」資料集。',
    },
  },
  warnings: ['not_investment_advice', 'preview_schema_may_change'],
  cadence: { every: 'on_change' },
  coverage: { markets: ['TWSE', 'TPEX'], delisted: false, scope: 'announced_ex_days', type: 'event_calendar' },
  sample: 'events',
  example: exampleRows(
    COLUMNS,
    ['2330', 'TWSE', '2026-07-20', '台積電', 'rights', null, null, 0.05, 800, null, null, 1_000_000, 50],
    ['2330', 'TWSE', '2026-06-11', '台積電', 'dividend', 6, null, null, null, null, null, null, null],
    ['2330', 'TWSE', '2026-03-17', '台積電', 'dividend', 6, null, null, null, null, null, null, null],
  ),
})
