/** Text in both languages. This file knows no page, so that it is tested without one. */
type Words = Readonly<Record<'en' | 'zh', string>>

/** Labels of warnings, and of gaps that are spoken of beside no dataset, in Chinese; in English they read as they are. */
const ZH: Readonly<Record<string, string>> = {
  earlier_prices_change_with_every_event: '每有除權息或減資，先前的還原股價都會改變',
  market_not_loaded_tpex: '尚未載入上櫃市場',
  market_not_loaded_twse: '尚未載入上市市場',
  newest_release_damaged_older_one_served: '最新版本損壞，目前提供較舊版本',
  no_release_passes_its_check: '沒有任何版本通過檢查',
  no_scheduled_producer: '沒有排程產製',
  not_investment_advice: '非投資建議',
  preview_schema_may_change: '預覽資料集，欄位可能變動',
  synthetic_sample_data: '合成的示範資料，並非真實數字',
  theme_definitions_may_be_revised: '題材定義可能修訂',
}

/** A label of a warning in words; what a dataset lacks the catalog says itself. A label without words in Chinese stands in English. */
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
  unknown_symbol: {
    en: 'No dataset has a security of that code. Search for its name or code.',
    zh: '各資料集皆無此證券代號。請以名稱或代號搜尋。',
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

/** States of a subscription, as the payment provider calls them. */
const SUBSCRIPTION: Readonly<Record<string, Words>> = {
  active: { en: 'active', zh: '有效' },
  trialing: { en: 'on trial', zh: '試用中' },
  past_due: { en: 'payment overdue', zh: '逾期未付' },
  unpaid: { en: 'unpaid', zh: '未付款' },
  canceled: { en: 'canceled', zh: '已取消' },
  incomplete: { en: 'first payment outstanding', zh: '首次付款未完成' },
  incomplete_expired: { en: 'never paid', zh: '首次付款逾時' },
  paused: { en: 'paused', zh: '暫停' },
}

/** A state of a subscription in words; one that is not known stands as it is. */
export const subscriptionWords = (status: string): Words => SUBSCRIPTION[status] ?? { en: status, zh: status }

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

const REASON: Readonly<Record<string, Words>> = {
  no_release: { en: 'Nothing is served that could be compared.', zh: '沒有提供中的資料可供比對。' },
  synthetic_sample_data: {
    en: 'The rows are samples, which have nothing to be compared with.',
    zh: '資料列為示範資料，沒有可比對的對象。',
  },
  nothing_comparable: {
    en: 'What the rows would be compared with is not here, or holds none of them.',
    zh: '比對的對象不在此處，或不含這些資料列。',
  },
  rows_not_compared: { en: 'All that could be compared agree, and some rows could not be.', zh: '可比對者皆相符，部分資料列無法比對。' },
  comparisons_not_made: {
    en: 'All that was compared agrees, and a comparison could not be made.',
    zh: '已比對者皆相符，但有比對無法進行。',
  },
  rows_disagree: { en: 'Some rows do not agree.', zh: '部分資料列不符。' },
}

/** Why a badge says no more than it does, in words. */
export const badgeReasonWords = (reason: string): Words => REASON[reason] ?? { en: reason, zh: reason }

/** Why a webhook's message had no answer. */
const SEND_ERRORS: Readonly<Record<string, Words>> = {
  no_public_address: { en: 'the name leads to no public address', zh: '主機名稱沒有對應的公開位址' },
  url_not_allowed: { en: 'the service sends nothing to such an address any more; change it', zh: '服務已不再傳送至這類網址，請變更' },
  connection_refused: { en: 'nothing listens there', zh: '該位址沒有程式接聽連線' },
  connection_broken: { en: 'the connection ended before an answer', zh: '連線在回應前中斷' },
  certificate: { en: 'its certificate is not valid for the name, or nobody vouches for it', zh: '憑證與主機名稱不符，或簽發者不受信任' },
  timed_out: { en: 'no answer came within 15 seconds', zh: '15 秒內沒有回應' },
}

/** Why a message to a webhook had no answer, in words; a reason that is not known stands as it is. */
export const sendErrorWords = (error: string): Words => SEND_ERRORS[error] ?? { en: error, zh: error }
