/** Not imported from `language.ts`, which uses the DOM, so that tests can import this module. */
type Words = Readonly<Record<'en' | 'zh', string>>

/**
 * Chinese texts of warnings, and of gaps that do not belong to a dataset. The English texts are
 * derived from the labels.
 */
const ZH: Readonly<Record<string, string>> = {
  current_month_changes_every_trading_day: '本月資料逐日變動',
  current_week_changes_every_trading_day: '本週資料逐日變動',
  earlier_prices_change_with_every_event: '每次除權息或減資後，先前的還原股價都會改變',
  earlier_returns_change_if_an_event_is_corrected: '除權息或減資資料更正後，先前的報酬率會改變',
  earlier_values_change_with_every_event: '每次除權息或減資後，先前的數值都會改變',
  market_not_loaded_tpex: '尚未匯入上櫃市場資料',
  market_not_loaded_twse: '尚未匯入上市市場資料',
  newest_release_damaged_older_one_served: '最新版本損壞，目前提供較舊版本',
  no_release_passes_its_check: '沒有任何版本通過檢查',
  no_scheduled_producer: '沒有固定的更新排程',
  not_investment_advice: '非投資建議',
  preview_schema_may_change: '預覽資料集，欄位可能變動',
  synthetic_sample_data: '合成資料，並非真實數字',
  theme_definitions_may_be_revised: '主題定義可能修訂',
}

/** Returns the text of a warning label. In English if there is no Chinese text. */
export function gapWords(label: string): Words {
  const plain = label.replace(/(\d{4})_(\d\d)_(\d\d)/, '$1-$2-$3').replaceAll('_', ' ')
  const en = (plain.charAt(0).toUpperCase() + plain.slice(1))
    .replace(/\b(twse|isin|eps)\b/gi, name => name.toUpperCase())
    .replace(/\btpex\b/gi, 'TPEx')
  return { en, zh: ZH[label] ?? en }
}

const EMPTY: Readonly<Record<string, Words>> = {
  no_match: { en: 'No rows match in the available days.', zh: '現有資料期間內查無符合的資料列。' },
  past_the_end: { en: 'The requested position is after the last row.', zh: '指定的位置已超過最後一列。' },
  outside_coverage: {
    en: 'The requested days are before the first or after the last available day.',
    zh: '查詢日期不在現有資料的起訖期間內。',
  },
  not_trading_day: { en: 'The market was closed on the requested days.', zh: '查詢期間皆為休市日。' },
  not_captured: {
    en: 'No records were captured. This does not mean that none exist.',
    zh: '未收錄資料，不代表實際上無此資料。',
  },
  unknown_symbol: {
    en: 'No dataset contains this security code. Search by name or code.',
    zh: '查無此證券代號，請以名稱或代號搜尋。',
  },
  not_built: { en: 'This dataset has no rows yet: it has not been published.', zh: '此資料集尚未發布任何資料。' },
}

/** @param reason value of the header `X-Empty-Reason` */
export const emptyWords = (reason: string | null): Words => EMPTY[reason ?? ''] ?? { en: 'There are no rows.', zh: '查無資料。' }

const STATE: Readonly<Record<string, Words>> = {
  fresh: { en: 'up to date', zh: '最新' },
  due: { en: 'update due', zh: '待更新' },
  late: { en: 'overdue', zh: '逾期' },
  static: { en: 'updated with its source', zh: '隨來源更新' },
  building: { en: 'not published yet', zh: '建置中' },
}

export const freshnessWords = (state: string): Words => STATE[state] ?? { en: state, zh: state }

const SUBSCRIPTION: Readonly<Record<string, Words>> = {
  active: { en: 'active', zh: '有效' },
  trialing: { en: 'on trial', zh: '試用中' },
  past_due: { en: 'payment overdue', zh: '逾期未付' },
  unpaid: { en: 'unpaid', zh: '未付款' },
  canceled: { en: 'canceled', zh: '已取消' },
  incomplete: { en: 'first payment outstanding', zh: '首次付款未完成' },
  incomplete_expired: { en: 'never paid', zh: '首次付款逾時' },
  paused: { en: 'paused', zh: '已暫停' },
}

/** Returns the name of a subscription's state. Unknown states are not translated. */
export const subscriptionWords = (status: string): Words => SUBSCRIPTION[status] ?? { en: status, zh: status }

const CADENCE: Readonly<Record<string, Words>> = {
  trading_day: { en: 'every trading day', zh: '每交易日' },
  week: { en: 'every week', zh: '每週' },
  month: { en: 'every month', zh: '每月' },
  quarter: { en: 'every quarter', zh: '每季' },
  on_change: { en: 'when its source changes', zh: '來源變更時' },
}

export const cadenceWords = (cadence: string): Words => CADENCE[cadence] ?? { en: cadence, zh: cadence }

const PUBLICATION: Readonly<Record<string, Words>> = {
  new_rows: { en: 'new rows', zh: '新增資料' },
  backfill: { en: 'earlier days filled in', zh: '補入較早資料' },
  revision: { en: 'revision', zh: '修訂' },
  schema_change: { en: 'columns changed', zh: '欄位變更' },
  withdrawal: { en: 'withdrawn: an earlier release is served', zh: '撤回：恢復較早版本' },
}

export const publicationWords = (kind: string): Words => PUBLICATION[kind] ?? { en: kind, zh: kind }

const REASON: Readonly<Record<string, Words>> = {
  no_release: { en: 'No release is served, so there is nothing to compare.', zh: '尚無提供中的版本可供比對。' },
  synthetic_sample_data: {
    en: 'The rows are sample data. Their comparison does not confirm real data.',
    zh: '資料列為合成資料，其比對結果不代表真實資料正確。',
  },
  nothing_comparable: {
    en: 'The data to compare with is missing, or has none of these rows.',
    zh: '缺少可供比對的資料，或其中不含這些資料列。',
  },
  rows_not_compared: { en: 'All compared rows match; some rows could not be compared.', zh: '已比對的資料列皆相符，部分資料列無法比對。' },
  comparisons_not_made: {
    en: 'All compared rows match; a comparison could not be made.',
    zh: '已比對的資料列皆相符，但部分比對無法進行。',
  },
  rows_disagree: { en: 'Some rows do not match.', zh: '部分資料列不符。' },
}

export const badgeReasonWords = (reason: string): Words => REASON[reason] ?? { en: reason, zh: reason }

const SEND_ERRORS: Readonly<Record<string, Words>> = {
  no_public_address: { en: 'the host name has no public address', zh: '主機名稱沒有對應的公開 IP 位址' },
  url_not_allowed: { en: 'this kind of URL is no longer allowed; change it', zh: '已不允許這類網址，請變更' },
  connection_refused: { en: 'connection refused', zh: '連線遭拒' },
  connection_broken: { en: 'the connection ended before a response', zh: '連線在回應前中斷' },
  certificate: { en: 'the certificate does not match the host name or is not trusted', zh: 'TLS 憑證與主機名稱不符，或簽發者不受信任' },
  timed_out: { en: 'no response within 15 seconds', zh: '15 秒內沒有回應' },
}

export const sendErrorWords = (error: string): Words => SEND_ERRORS[error] ?? { en: error, zh: error }
