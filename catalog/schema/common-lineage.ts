import type { SourceLineage } from './dataset.ts'

/** TAIFEX permits only the use of data that data.gov.tw publishes. */
export const TAIFEX = {
  role: 'canonical',
  fallbacks: [],
  attribution: 'Securities and Futures Bureau, Financial Supervisory Commission (Open Government Data License, version 1.0)',
  attributionZh: '金融監督管理委員會證券期貨局（政府資料開放授權條款第 1 版）',
} as const satisfies Partial<SourceLineage>

/** Source of tables that both TWSE and TPEx publish, at least in part as open data. */
export const BOTH_EXCHANGES = {
  role: 'canonical',
  fallbacks: [],
  attribution: 'Taiwan Stock Exchange; Taipei Exchange (open data: Open Government Data License, version 1.0)',
  attributionZh: '臺灣證券交易所、證券櫃檯買賣中心（開放資料採政府資料開放授權條款第 1 版）',
} as const satisfies Partial<SourceLineage>

/** Source of tables that TWSE and TPEx publish only on their websites, without an open licence. */
export const EXCHANGE_WEBSITES = {
  role: 'canonical',
  fallbacks: [],
  attribution: 'Taiwan Stock Exchange; Taipei Exchange',
  attributionZh: '臺灣證券交易所、證券櫃檯買賣中心',
} as const satisfies Partial<SourceLineage>
