import { bodyRefused, tidyText } from '../../formats/index.ts'

/**
 * A firm's name as names are compared: 臺 written 台, every blank gone, compatibility forms and entities folded.
 *
 * The lists write one firm both ways: 臺灣企銀-桃園 beside 台灣企銀-台中, 合庫- 台中 beside 合庫-台南.
 */
export const brokerNameKey = (name: unknown): string => tidyText(name).replace(/\s/g, '').replaceAll('臺', '台')

/** A listed name as firm and branch, split at the first hyphen; undefined for a head office, whose name has none. */
export function splitBranchName(listed: string): { readonly firm: string; readonly branch: string } | undefined {
  const name = tidyText(listed)
  const hyphen = name.indexOf('-')
  if (hyphen === -1) return undefined
  return { firm: name.slice(0, hyphen).trim(), branch: name.slice(hyphen + 1).trim() }
}

/** Stands for a parent's code where no head office has its name. No exchange code has a colon. */
export const fallbackParentCode = (firm: string): string => `name:${brokerNameKey(firm)}`

/** Whether a parent's code is such a stand-in. */
export const isFallbackCode = (code: string): boolean => code.startsWith('name:')

/**
 * A firm's or branch's code as printed, case kept. The lists print two codes with a slash for a branch that has both.
 *
 * @throws Refusal unreadable_code when the cell holds anything else, as in a shifted row
 */
export function brokerCode(cell: unknown): string {
  const code = String(cell ?? '').trim()
  if (/^[0-9A-Za-z]{4}(\/[0-9A-Za-z]{4})*$/.test(code)) return code
  throw bodyRefused(
    'unreadable_code',
    {
      en: `"${code}" stands where a firm's or branch's code belongs; check the file against its source.`,
      zh: `券商或分公司代號的位置出現「${code}」；請與來源核對檔案。`,
    },
    { said: code },
  )
}
