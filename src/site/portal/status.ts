import type { Words } from '../../core/index.ts'
import type { ServingStatus } from '../../releases/index.ts'
import { type Html, html } from './html.ts'
import type { Language } from './shell.ts'

const STATUS: Readonly<Record<ServingStatus, { readonly badge: Words; readonly meaning: Words }>> = {
  building: { badge: { en: 'Building', zh: '建置中' }, meaning: { en: 'not published yet', zh: '尚未發布' } },
  verified: { badge: { en: 'Verified', zh: '已驗證' }, meaning: { en: 'served', zh: '提供中' } },
  reference: { badge: { en: 'Reference', zh: '參考' }, meaning: { en: 'served, for reference', zh: '提供中，供參考' } },
  preview: { badge: { en: 'Preview', zh: '預覽' }, meaning: { en: 'columns may change', zh: '欄位可能變動' } },
  degraded: {
    badge: { en: 'Degraded', zh: '降級' },
    meaning: { en: 'an older release is served, the newest is damaged', zh: '最新版本損壞，提供較舊版本' },
  },
  unavailable: {
    badge: { en: 'Unavailable', zh: '無法提供' },
    meaning: { en: 'not served, no release passes its check', zh: '沒有版本通過檢查' },
  },
}

export const statusBadge = (status: ServingStatus, language: Language): Html =>
  html`<span class="badge" data-status="${status}">${STATUS[status].badge[language]}</span> ${STATUS[status].meaning[language]}`
