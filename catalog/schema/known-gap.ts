export interface Words {
  readonly en: string
  readonly zh: string
}

/** Known gaps of a dataset, keyed by label. */
export type KnownGaps = Readonly<Record<string, Words>>

export const SNAPSHOT_ONLY: Words = {
  en: 'Each release contains the list of the day on which the list was collected. Lists of earlier days are not available.',
  zh: '每個版本只含收錄當日的名單；更早日期的名單無法取得。',
}

export const NO_ANNOUNCEMENT_DATE: Words = {
  en: 'No public source publishes announcement dates in bulk. announcement_date is null unless an imported file supplies it.',
  zh: '沒有可批次取得公告日的公開來源；除非匯入檔案另行提供，announcement_date 為空值。',
}

export const FOURTH_QUARTER: Words = {
  en: 'Companies do not file a separate fourth quarter. Fourth-quarter figures are the full year minus the first three quarters.',
  zh: '公司不單獨申報第四季單季數字；第四季以全年數減去前三季累計數計算。',
}

export const NO_QUARTER_WITHOUT_THE_ONE_BEFORE: Words = {
  en: 'Companies file year-to-date figures. A quarter has no row if the previous filing of the same year is missing.',
  zh: '財報以本年累計數申報；若同年度前一季沒有申報資料，次一季即無資料列。',
}

export const NO_EVENTS_BEFORE_RECORD: Words = {
  en: 'Ex-days before the first recorded ex-day of each market are unknown. Prices are not adjusted for unknown ex-days.',
  zh: '各市場最早一筆除權息紀錄之前的事件不詳，股價未據以還原。',
}

export const BONUS_SHARES: Words = {
  en: 'Bonus shares change the price factor but not the share ratio, so volumes are not adjusted for bonus shares.',
  zh: '無償配股僅反映於還原因子，不反映於換股率，故成交股數未依無償配股調整。',
}

export const DETAILS_ONE_BY_ONE: Words = {
  en: 'TWSE publishes the details of ex-days for one security at a time. Distributions are unknown if these details were not fetched.',
  zh: '證交所的除權息明細須逐檔取得；未取得的日期，配發內容不詳。',
}

export const SITE_OF_TAIFEX: Words = {
  en: 'TAIFEX permits reuse only of data on data.gov.tw. Reuse of files from the TAIFEX website needs the consent of TAIFEX.',
  zh: '期交所僅同意再利用經政府資料開放平臺釋出的資料；其網站的檔案須取得期交所同意。',
}

export const NAMES_ONLY: Words = {
  en: 'The columns follow the published field list of the source. No real file was available for a check.',
  zh: '尚未取得來源的實際檔案；欄位依官方公布的欄位清單訂定。',
}

export const NIGHTS_OF_OPEN_DATA: Words = {
  en: 'The open-data table and the website may assign after-hours sessions to different days. The table is not fetched until its days are verified.',
  zh: '開放資料表的盤後時段日期可能與網站不同；在查證之前不自動取得。',
}
