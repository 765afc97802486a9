import { defineDataset, TICKERS } from '../schema/index.ts'

const amount = (zh: string, doc: string, docZh: string) => ({ type: 'integer', unit: 'TWD', nullable: true, zh, doc, docZh }) as const

export default defineDataset({
  slug: 'monthly-revenue',
  id: 'monthly_revenue',
  title: 'Monthly revenue',
  titleZh: '每月營業收入',
  family: 'financial_statements',
  description:
    'Consolidated operating revenue of each company by month, in TWD. Each row also has the revenue of the previous month, of the same month of the previous year, and of the year to date. Growth rates are included as computed and as published.',
  descriptionZh: '各公司申報的每月合併營業收入，單位為新臺幣元，附上月、去年同月與本年累計的比較數；增減率含計算值與原表所載數值。',
  access: { plan: 'free', credits: 1 },
  status: 'verified',
  version: '1.0.0',
  columns: {
    ticker: { type: 'text', zh: '公司代號', doc: 'Exchange code of the company.', docZh: '公司的證券代號。' },
    market: {
      type: 'text',
      zh: '市場',
      doc: 'TWSE for listed companies, TPEX for over-the-counter companies.',
      docZh: '上市公司為 TWSE，上櫃公司為 TPEX。',
    },
    month: { type: 'text', zh: '資料年月', doc: 'Month of the revenue, for example 2026-05.', docZh: '營收所屬月份，例如 2026-05。' },
    period_end: { type: 'date', zh: '資料月份截止日', doc: 'Last day of the month.', docZh: '該月份的最後一日。' },
    name: { type: 'text', zh: '公司名稱', doc: 'Short name of the company, as in the source table.', docZh: '表中的公司簡稱。' },
    industry: {
      type: 'text',
      nullable: true,
      zh: '產業別',
      doc: 'Official industry name, the same for both markets and all years. The source table may use another name, for example 建材營造 for 建材營造業. Null if not in the source table.',
      docZh: '產業別的正式名稱，兩市場與各年度一致；表中可能使用其他名稱，例如以「建材營造」表示建材營造業。表中未載時為空值。',
    },
    revenue: amount(
      '當月營收',
      'Revenue of the month, accurate to TWD 1,000 as reported by companies. Negative in rare cases. Null if not published.',
      '當月營收，精確至公司申報的千元；少數情況為負數。',
    ),
    last_month_revenue: amount(
      '上月營收',
      'Revenue of the previous month, as restated in the source table of this month. Null if not published.',
      '上月營收，為本表重列的數字。',
    ),
    last_year_revenue: amount(
      '去年當月營收',
      'Revenue of the same month of the previous year, as restated in the source table of this month. Null if not published.',
      '去年同月營收，為本表重列的數字。',
    ),
    cumulative_revenue: amount('當月累計營收', 'Revenue from January to this month. Null if not published.', '自一月至當月的累計營收。'),
    last_year_cumulative_revenue: amount(
      '去年累計營收',
      'Revenue of the previous year from January to the same month. Null if not published.',
      '去年同期的累計營收。',
    ),
    mom_pct: {
      type: 'number',
      unit: 'percent',
      nullable: true,
      zh: '上月比較增減（計算）',
      doc: 'Growth over the previous month, not rounded: 100 × (revenue − last_month_revenue) / |last_month_revenue|. Null if last_month_revenue is zero or missing.',
      docZh: '較上月的增減率，未經四捨五入：100 ×（revenue − last_month_revenue）÷ |last_month_revenue|；上月營收為零或缺少時為空值。',
      derived: growth('revenue', 'last_month_revenue'),
    },
    yoy_pct: {
      type: 'number',
      unit: 'percent',
      nullable: true,
      zh: '去年同月增減（計算）',
      doc: 'Growth over the same month of the previous year, not rounded: 100 × (revenue − last_year_revenue) / |last_year_revenue|. Null if last_year_revenue is zero or missing.',
      docZh: '較去年同月的增減率，公式同 mom_pct。',
      derived: growth('revenue', 'last_year_revenue'),
    },
    cumulative_yoy_pct: {
      type: 'number',
      unit: 'percent',
      nullable: true,
      zh: '前期比較增減（計算）',
      doc: 'Growth of cumulative_revenue over last_year_cumulative_revenue, in percent of |last_year_cumulative_revenue|, not rounded. Null if last_year_cumulative_revenue is zero or missing.',
      docZh: '本年累計較去年同期的增減率，公式同 mom_pct。',
      derived: growth('cumulative_revenue', 'last_year_cumulative_revenue'),
    },
    printed_mom_pct: {
      type: 'number',
      unit: 'percent',
      nullable: true,
      zh: '上月比較增減(%)',
      doc: 'Published growth over the previous month, which the source truncates to two decimals. Null if not published.',
      docZh: '表中所列較上月的增減率，原表無條件捨去至小數第二位；未載明時為空值。',
    },
    printed_yoy_pct: {
      type: 'number',
      unit: 'percent',
      nullable: true,
      zh: '去年同月增減(%)',
      doc: 'Published growth over the same month of the previous year, which the source truncates to two decimals. Null if not published.',
      docZh: '原表所列、與去年同月相比的增減率。',
    },
    printed_cumulative_yoy_pct: {
      type: 'number',
      unit: 'percent',
      nullable: true,
      zh: '前期比較增減(%)',
      doc: 'Published growth of the year to date over the same months of the previous year, which the source truncates to two decimals. Null if not published.',
      docZh: '表中所列本年累計的增減率。',
    },
    remark: {
      type: 'text',
      nullable: true,
      mayNotApply: true,
      zh: '備註',
      doc: 'Remarks of the company on the figures. Null if the remarks are empty, a dash or a point.',
      docZh: '公司對營收數字的說明，依原文；沒有說明，或只有「-」或「.」時為空值。',
    },
    announced_by: {
      type: 'date',
      zh: '最遲公告日',
      doc: 'Latest possible publication date of the figure. The date is the 10th of the next month (the following Monday if the 10th is on a weekend), or report_date if report_date is earlier. The source does not state the actual publication date.',
      docZh: '營收最遲公布的日期：次月 10 日，遇週末順延至週一；出表日期較早者以出表日期為準。各表格均未載明實際申報日。',
      derived: 'least(report_date, (period_end + (CASE isodow(period_end + 10) WHEN 6 THEN 12 WHEN 7 THEN 11 ELSE 10 END)::INTEGER))',
    },
    report_date: {
      type: 'date',
      provenance: true,
      zh: '出表日期',
      doc: 'Date on which the source table was produced.',
      docZh: '表格製作的日期。',
    },
  },
  grain: ['ticker', 'period_end'],
  key: 'ticker',
  date: 'period_end',
  publish: { mode: 'merge', body: ['market', 'period_end'] },
  rules: [
    {
      name: 'known_market',
      column: 'market',
      values: ['TWSE', 'TPEX'],
      doc: 'The market is TWSE or TPEX.',
      docZh: '市場為 TWSE 或 TPEX。',
    },
    {
      name: 'month_is_its_last_day',
      holds: "period_end = last_day(period_end) AND month = strftime(period_end, '%Y-%m')",
      doc: 'The column period_end is the last day of the month.',
      docZh: '資料列以該月最後一日為日期。',
    },
    {
      name: 'reported_after_the_month',
      holds: 'report_date > period_end',
      doc: 'The report date is after the last day of the month.',
      docZh: '月份結束後才申報。',
    },
  ],
  reconcile: [
    {
      method: 'growth_as_printed',
      doc: 'Compares growth computed from the amounts of a row with the published growth, which is truncated to two decimals. The values match if their difference is less than 0.01. Rows without published growth cannot be compared.',
      docZh: '由金額計算增減率，與原表所列的增減率（無條件捨去至小數第二位）比對：相差小於 0.01 即為相符。原表未列增減率的資料列無法比對。',
      source: 'mops_printed_growth',
      over: 'release',
      holds: `CASE WHEN coalesce(${printed('mom_pct')}, ${printed('yoy_pct')}, ${printed('cumulative_yoy_pct')}) IS NOT NULL
        THEN coalesce(${printed('mom_pct')}, true) AND coalesce(${printed('yoy_pct')}, true) AND coalesce(${printed('cumulative_yoy_pct')}, true) END`,
    },
    {
      method: 'january_begins_the_year',
      doc: 'For January, compares the year-to-date revenue with the revenue of the month, for the current and the previous year. Other months cannot be compared.',
      docZh: '將一月的累計營收與當月營收比對，包括今年與去年；其他月份無法比對。',
      source: 'mops_monthly_revenue',
      over: 'release',
      holds:
        'CASE WHEN month(t.period_end) = 1 THEN t.revenue IS NOT DISTINCT FROM t.cumulative_revenue AND t.last_year_revenue IS NOT DISTINCT FROM t.last_year_cumulative_revenue END',
    },
  ],
  filters: {
    symbol: TICKERS,
    month: { column: 'month', op: 'eq', pattern: '\\d{4}-\\d{2}', example: '2026-05', doc: 'Month to return, for example 2026-05.' },
    start_date: { column: 'period_end', op: 'from', example: '2026-01-01', doc: 'First month end to return, inclusive.' },
    end_date: { column: 'period_end', op: 'to', example: '2026-06-30', doc: 'Last month end to return, inclusive.' },
    market: { column: 'market', op: 'eq', values: ['TWSE', 'TPEX'], fold: 'upper', example: 'TWSE', doc: 'Market to return.' },
  },
  fields: [
    {
      time: 'announced',
      entity: 'company',
      id: 'ticker',
      date: 'period_end',
      period: 'month',
      announced: 'announced_by',
      of: 'the latest month public by its deadline',
      ofZh: '依公布期限已公布的最近一個月',
      names: {
        'monthly_revenue.revenue': 'revenue',
        'monthly_revenue.mom_pct': 'mom_pct',
        'monthly_revenue.yoy_pct': 'yoy_pct',
        'monthly_revenue.cumulative': 'cumulative_revenue',
        'monthly_revenue.cumulative_yoy_pct': 'cumulative_yoy_pct',
        'monthly_revenue.remark': 'remark',
      },
    },
  ],
  order: [
    ['period_end', 'desc'],
    ['ticker', 'asc'],
  ],
  sortable: ['period_end'],
  search: [{ type: 'symbol', id: 'ticker', title: ['name'], market: 'market', rank: 3, param: 'symbol' }],
  envelope: { kind: 'B', fieldGroup: 'revenue', view: 'monthly_series' },
  lineage: {
    families: ['mops_monthly_revenue', 'twse_open_data', 'tpex_open_data'],
    semantics: 'operating_revenue_by_company_and_month',
    role: 'canonical',
    selected: 'mops_monthly_revenue',
    fallbacks: ['exchange_open_data'],
    notes: ['thousands_as_filed_are_stated_in_twd', 'growth_is_computed_and_kept_as_printed'],
    url: 'https://mops.twse.com.tw/',
    attribution: 'Taiwan Stock Exchange; Taipei Exchange',
    attributionZh: '臺灣證券交易所、證券櫃檯買賣中心',
  },
  knownGaps: {
    day_of_each_report_is_in_no_table: {
      en: 'No table states the date on which a company reported. announced_by is the latest possible publication date of the figure.',
      zh: '各表格均未載明公司的實際申報日；announced_by 為營收最遲公布的日期。',
    },
    late_reports_appear_from_the_deadline_on: {
      en: 'Reads with `as_of` treat a figure as known from the reporting deadline, even if the company reported late.',
      zh: '以歷史時點查詢時，數字自申報期限起即視為已公布，即使公司逾期申報。',
    },
    restated_months_are_restated_in_later_rows_only: {
      en: 'A restated figure appears only in the comparison columns of later rows. The row of the restated month has the first reported figure until the month is fetched again.',
      zh: '重編的月營收只反映在後續資料列的比較數；該月的資料列維持原申報數字，直到重新取得該月資料。',
    },
    figures_are_not_audited: {
      en: 'Monthly revenue is self-reported and unaudited.',
      zh: '月營收為公司自行申報，未經會計師查核。',
    },
  },
  warnings: ['not_investment_advice'],
  cadence: { every: 'month', day: 10, expectedAt: '23:59' },
  knownAt: 'announced_by',
  coverage: { markets: ['TWSE', 'TPEX'], delisted: true, scope: 'company_monthly_revenue', type: 'monthly_time_series' },
  example: [
    row('2026-05', '2026-05-31', [320_000_000_000, 300_000_000_000, 256_000_000_000], [1_500_000_000_000, 1_250_000_000_000], {
      computed: [100 / 15, 25, 20],
      printed: [6.66, 25, 20],
    }),
    row('2026-04', '2026-04-30', [300_000_000_000, 0, null], [1_180_000_000_000, 944_000_000_000], {
      computed: [null, null, 25],
      printed: [null, null, 25],
    }),
  ],
})

/** Returns SQL of the growth in percent, relative to the absolute value of the earlier amount. */
function growth(now: string, before: string): string {
  return `100 * (${now} - ${before})::DOUBLE / abs(nullif(${before}, 0))`
}

/** True if a computed growth rounds to the published growth. Null if a value is missing. */
function printed(name: string): string {
  return `(abs(t.${name} - t.printed_${name}) < 0.01 + 1e-12 * abs(t.${name}))`
}

function row(
  month: string,
  end: string,
  [revenue, before, yearBefore]: (number | null)[],
  [soFar, yearSoFar]: number[],
  { computed, printed }: { readonly computed: (number | null)[]; readonly printed: (number | null)[] },
) {
  return {
    ticker: '2330',
    market: 'TWSE',
    month,
    period_end: end,
    name: '台積電',
    industry: '半導體業',
    revenue,
    last_month_revenue: before,
    last_year_revenue: yearBefore,
    cumulative_revenue: soFar,
    last_year_cumulative_revenue: yearSoFar,
    mom_pct: computed[0],
    yoy_pct: computed[1],
    cumulative_yoy_pct: computed[2],
    printed_mom_pct: printed[0],
    printed_yoy_pct: printed[1],
    printed_cumulative_yoy_pct: printed[2],
    remark: null,
    announced_by: month === '2026-05' ? '2026-06-10' : '2026-05-11',
    report_date: '2026-06-30',
  }
}
