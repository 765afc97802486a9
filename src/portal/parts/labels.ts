/** Text in both languages. This file knows no page, so that it is tested without one. */
type Words = Readonly<Record<'en' | 'zh', string>>

/** Labels of known gaps and warnings in Chinese; in English they read as they are. */
const ZH: Readonly<Record<string, string>> = {
  absence_is_not_absence_of_risk: '未列出不代表沒有風險',
  address_missing: '缺地址',
  announcement_date_has_no_bulk_source: '公告日沒有可批次取得的來源',
  announcement_date_is_not_in_the_tables: '來源表格不含公告日',
  balances_are_corrected_the_day_after: '餘額於次日更正',
  block_and_odd_lot_trades_follow_the_daily_report: '鉅額與零股交易依每日報表的口徑',
  bonus_shares_do_not_scale_volumes: '無償配股不調整成交量',
  broker_id_unresolved_fallback_key: '無法辨識券商代號者使用替代鍵',
  business_status_has_no_public_source: '營業狀態沒有公開來源',
  closures_by_typhoon_are_known_only_once_announced: '颱風休市於公告後才得知',
  codes_follow_the_index_list_of_2026: '指數代號依 2026 年清單',
  companies_without_an_english_name_on_file: '部分公司未申報英文名稱',
  compiled_days_observed_up_to_2026_08_21: '交易日曆實際觀察至 2026-08-21',
  compiled_year_2027_follows_rules_not_announcements: '2027 年依規則推算，尚未公告',
  current_snapshot_only_no_history: '只有目前快照，沒有歷史',
  day_of_each_report_is_in_no_table: '各公司實際公告日不在任何表格中',
  dividend_per_share_of_tpex_only: '每股股利僅櫃買中心提供',
  earlier_prices_change_with_every_event: '每有除權息或減資，先前的還原股價都會改變',
  english_names_are_a_field_of_the_company_register: '英文名稱來自公司登記資料',
  eps_surprise_has_no_public_source: '每股盈餘預期差異沒有公開來源',
  events_before_the_first_ex_day_on_record_are_unknown: '紀錄中第一個除權息日之前的事件未知',
  ex_days_missing_in_between_are_not_noticed: '期間遺漏的除權息日無法察覺',
  figures_are_not_audited: '數字未經會計師查核',
  finance_company_part_and_utilization_of_tpex_only: '證金部位與使用率僅櫃買中心提供',
  financial_firms_have_no_gross_profit: '金融業沒有營業毛利',
  fiscal_period_of_twse_only: '財報年季僅證交所提供',
  foreign_pct_is_net_over_volume_not_holding_ratio: '外資占比為買賣超占成交量，並非持股比率',
  fourth_quarter_is_annual_minus_three_quarters: '第四季為全年減前三季',
  funds_and_preferred_shares_have_no_industry: '基金與特別股沒有產業別',
  government_bonds_only: '只有公債',
  indices_of_tpex_are_not_built: '尚無櫃買指數',
  isin_of_twse_only: '國際證券編碼僅證交所提供',
  issued_shares_may_lead_those_of_other_reports: '發行股數可能早於其他報表更新',
  late_reports_appear_from_the_deadline_on: '遲交的月營收於期限後才出現',
  limits_are_in_whole_lots: '限額以整張計',
  market_not_loaded_tpex: '尚未載入上櫃市場',
  market_not_loaded_twse: '尚未載入上市市場',
  newest_release_damaged_older_one_served: '最新版本損壞，目前提供較舊版本',
  no_concept_themes: '沒有概念題材',
  no_feed_brings_sectors: '沒有來源提供類股',
  no_official_classification_table_exists: '沒有官方分類表',
  no_release_passes_its_check: '沒有任何版本通過檢查',
  no_rows_before_2003_05_05: '2003-05-05 之前沒有資料',
  no_rows_before_2011_01_01: '2011-01-01 之前沒有資料',
  no_rows_before_2012_05_02: '2012-05-02 之前沒有資料',
  no_rows_published_yet: '尚未發布任何資料',
  no_scheduled_producer: '沒有排程產製',
  no_structured_public_source: '沒有結構化的公開來源',
  not_every_flag_is_captured: '並非所有公告都已收錄',
  not_investment_advice: '非投資建議',
  omnibus_account_trades_follow_the_daily_report: '綜合帳戶交易依每日報表的口徑',
  only_the_newest_week_is_published_so_missed_weeks_are_lost: '來源只公布最新一週，錯過的週次無法補回',
  preview_schema_may_change: '預覽資料集，欄位可能變動',
  published_a_day_or_more_after_the_week: '於當週結束一日以上後才公布',
  quarter_missing_when_an_earlier_quarter_is_missing: '前面季度缺漏時，該季無法計算',
  reference_prices_are_rounded_to_cents: '參考價四捨五入至分',
  restated_months_are_restated_in_later_rows_only: '重編的月營收只出現在之後的資料列',
  restatements_replace_earlier_figures: '重編數字取代先前數字',
  sector_indices_not_built: '尚無類股指數',
  securities_that_left_the_market_are_in_earlier_releases_only: '已下市櫃的證券只在較早的版本中',
  segment_names_are_not_normalized: '部門名稱未統一',
  shares_borrowed_and_not_sold_are_not_reported: '借入而未賣出的股數不在報表中',
  shares_outside_custody_are_not_counted: '未送存集保的股數不計入',
  some_lists_print_no_announcement_day: '部分清單沒有公告日',
  stale_max_trade_date_means_gap: '最新交易日落後即表示有缺漏',
  synthetic_sample_data: '合成的示範資料，並非真實數字',
  the_report_is_updated_twice_in_the_evening: '報表每晚更新兩次',
  theme_definitions_may_be_revised: '題材定義可能修訂',
  tpex_pages_of_past_days_may_lack_securities_delisted_since: '櫃買中心過去日期的頁面可能缺少其後下櫃的證券',
  tpex_yield_is_not_dividend_per_share_over_the_close: '櫃買殖利率並非每股股利除以收盤價',
  twse_details_come_one_security_at_a_time: '證交所的配發明細須逐檔取得',
  twse_prints_no_exchange_ratio: '證交所不公布換股率',
  twse_prints_only_the_sum_of_both_values: '證交所只公布權值與息值的合計',
  twse_warrants_only_where_the_whole_list_is_fetched: '上市權證只在取得完整清單時才有',
}

/** A label of a known gap or a warning in words. A label without words in Chinese stands in English. */
export function gapWords(label: string): Words {
  const plain = label.replace(/(\d{4})_(\d\d)_(\d\d)/, '$1-$2-$3').replaceAll('_', ' ')
  const en = (plain.charAt(0).toUpperCase() + plain.slice(1))
    .replace(/\b(twse|isin|eps)\b/gi, name => name.toUpperCase())
    .replace(/\btpex\b/gi, 'TPEx')
  return { en, zh: ZH[label] ?? en }
}

/** Why an answer has no rows. */
const EMPTY: Readonly<Record<string, Words>> = {
  no_match: { en: 'What is held of these days has no such row.', zh: '所持有的這段期間資料中，沒有符合的資料列。' },
  past_the_end: { en: 'All rows come before the place asked for.', zh: '要求的位置已超過最後一列。' },
  outside_coverage: {
    en: 'The days asked for are before the first or after the last one that is held.',
    zh: '要求的日期在所持有資料的首日之前或末日之後。',
  },
  not_trading_day: { en: 'The market was closed on the days asked for.', zh: '要求的日期皆為休市日。' },
  not_captured: {
    en: 'Nothing was captured for it; that does not mean that there was nothing.',
    zh: '沒有收錄到資料；這不代表實際上沒有。',
  },
  not_built: { en: 'This dataset has no rows yet: nothing has been published.', zh: '此資料集尚未發布任何資料。' },
}

/** Why an answer has no rows, in words. @param reason its label, as `X-Empty-Reason` says it */
export const emptyWords = (reason: string | null): Words => EMPTY[reason ?? ''] ?? { en: 'There are no rows.', zh: '沒有資料列。' }

/** Freshness in words. */
const STATE: Readonly<Record<string, Words>> = {
  fresh: { en: 'up to date', zh: '最新' },
  due: { en: 'next day due', zh: '待更新' },
  late: { en: 'late', zh: '逾期' },
  static: { en: 'changes with its source', zh: '隨來源更新' },
  building: { en: 'not published yet', zh: '建置中' },
}

/** A state of freshness in words. */
export const freshnessWords = (state: string): Words => STATE[state] ?? { en: state, zh: state }

const CADENCE: Readonly<Record<string, Words>> = {
  trading_day: { en: 'every trading day', zh: '每交易日' },
  week: { en: 'every week', zh: '每週' },
  month: { en: 'every month', zh: '每月' },
  quarter: { en: 'every quarter', zh: '每季' },
  on_change: { en: 'when its source changes', zh: '來源變更時' },
}

/** How often a dataset is due, in words. */
export const cadenceWords = (cadence: string): Words => CADENCE[cadence] ?? { en: cadence, zh: cadence }

const PUBLICATION: Readonly<Record<string, Words>> = {
  new_rows: { en: 'new rows', zh: '新增資料' },
  backfill: { en: 'earlier days filled in', zh: '補入較早資料' },
  revision: { en: 'revision', zh: '修訂' },
  schema_change: { en: 'other columns', zh: '欄位變更' },
  withdrawal: { en: 'withdrawn: an earlier release is served again', zh: '撤回：恢復較早版本' },
}

/** What a publication did, in words. @param kind as the feed of updates names it */
export const publicationWords = (kind: string): Words => PUBLICATION[kind] ?? { en: kind, zh: kind }
