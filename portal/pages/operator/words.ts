import type { AccountDetail, DatasetReleases, KeptRelease, Key, SettledFile } from '../../../clients/typescript/src/index.ts'
import type { Words } from '../../parts/language.ts'

export const OUTCOME: Readonly<Record<SettledFile['outcome'], Words>> = {
  published: { en: 'published', zh: '已發布' },
  unchanged: { en: 'no change: all rows were already served', zh: '無新資料：所有資料列均已提供' },
  empty: { en: 'nothing to publish: no rows', zh: '沒有資料列，未發布' },
  discarded: { en: 'discarded', zh: '已捨棄' },
}

export const STANDING: Readonly<Record<KeptRelease['standing'], Words>> = {
  served: { en: 'served', zh: '提供中' },
  ancestor: { en: 'earlier version', zh: '先前版本' },
  unused: { en: 'not used', zh: '未使用' },
}

export const STATUS: Readonly<Record<DatasetReleases['status'], Words>> = {
  verified: { en: 'verified', zh: '已驗證' },
  reference: { en: 'reference', zh: '參考' },
  degraded: { en: 'degraded', zh: '降級' },
  building: { en: 'no release yet', zh: '尚無版本' },
  internal: { en: 'internal', zh: '內部使用' },
  preview: { en: 'preview', zh: '預覽' },
  unavailable: { en: 'unavailable', zh: '無法提供' },
}

export const ACCOUNT_STATUS: Readonly<Record<AccountDetail['account_status'], Words>> = {
  active: { en: 'active', zh: '使用中' },
  suspended: { en: 'suspended', zh: '已暫停' },
  closed: { en: 'closed', zh: '已關閉' },
}

export const KEY_STATUS: Readonly<Record<Key['status'], Words>> = {
  active: { en: 'active', zh: '使用中' },
  revoked: { en: 'revoked', zh: '已撤銷' },
  expired: { en: 'expired', zh: '已過期' },
}

export const MAIL_STATE: Readonly<Record<AccountDetail['mails'][number]['state'], Words>> = {
  waiting: { en: 'queued', zh: '待寄' },
  sent: { en: 'sent', zh: '已寄出' },
  given_up: { en: 'given up', zh: '放棄寄送' },
}

/** Chinese names of the stages of a read. */
export const STAGE_ZH: Readonly<Record<string, string>> = {
  admit: '驗證',
  plan: '規劃',
  hold: '預扣點數',
  fetch: '讀取',
  search: '搜尋',
  encode: '編碼',
  settle: '結算',
}
