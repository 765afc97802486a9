/** Text in each language of answers. */
export interface Words {
  readonly en: string
  readonly zh: string
}

/**
 * What a dataset is known to lack: the label that answers send, and a sentence that says it in full. Gaps that several datasets share are
 * declared below.
 */
export type KnownGaps = Readonly<Record<string, Words>>

export const SNAPSHOT_ONLY: Words = {
  en: 'Each release holds the list as it stood when it was taken; how it stood on earlier days cannot be read.',
  zh: '每個版本只有取得當時的名單內容；無法讀取先前各日的內容。',
}

export const NO_ANNOUNCEMENT_DATE: Words = {
  en: 'No public source gives the days of announcement in bulk, so announcement_date is null unless a file brings it.',
  zh: '公告日沒有可批次取得的公開來源，因此除非另以檔案提供，announcement_date 為空值。',
}

export const FOURTH_QUARTER: Words = {
  en: 'Companies file no fourth quarter of its own; it is the whole year less the first three quarters.',
  zh: '公司不單獨申報第四季；第四季為全年減去前三季。',
}

export const NO_QUARTER_WITHOUT_THE_ONE_BEFORE: Words = {
  en: 'Statements are filed for the year to date, so a quarter has no row where the filing before it in the year is not known.',
  zh: '財報以本年累計數申報，因此同年度前一季的申報不詳時，該季沒有資料列。',
}

export const NO_EVENTS_BEFORE_RECORD: Words = {
  en: 'Of each market, ex-days before the first one on record are unknown, and nothing is adjusted for them.',
  zh: '各市場在紀錄中第一個除權息日之前的事件不詳，未予還原。',
}

export const BONUS_SHARES: Words = {
  en: 'Bonus shares change the factor of prices but not the ratio of shares, so volumes are not adjusted for them.',
  zh: '無償配股改變價格的還原因子，但不改變換股率，因此成交股數未依無償配股調整。',
}

export const DETAILS_ONE_BY_ONE: Words = {
  en: 'TWSE gives the details of an ex-day one security at a time; where they were not fetched, what was given out is unknown.',
  zh: '證交所的除權息明細須逐檔取得；未取得者，配發內容不詳。',
}
