import { bodyRefused } from '../../formats/index.ts'

/** @throws Refusal unknown_unit unless the page states amounts in thousands of TWD */
export function requireThousands(page: string): void {
  if (/單位[:：]\s*(新[台臺]幣)?[仟千]元/.test(page)) return
  throw bodyRefused('unknown_unit', {
    en: 'The page does not state that its amounts are in thousands of TWD. Check the page.',
    zh: '頁面未載明金額單位為新臺幣仟元；請確認頁面內容。',
  })
}
