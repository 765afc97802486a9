import { bodyRefused, tidyText } from '../../formats/index.ts'

/**
 * Normalizes a firm's name for comparison: 臺 becomes 台, spaces are removed, compatibility forms and
 * entities are resolved.
 *
 * The lists write the same firm in several ways: 臺灣企銀-桃園 and 台灣企銀-台中, 合庫- 台中 and 合庫-台南.
 */
export const brokerNameKey = (name: unknown): string => tidyText(name).replace(/\s/g, '').replaceAll('臺', '台')

/**
 * Splits a listed name at the first hyphen into firm and branch. Undefined for a head office, whose
 * name has no hyphen.
 */
export function splitBranchName(listed: string): { readonly firm: string; readonly branch: string } | undefined {
  const name = tidyText(listed)
  const hyphen = name.indexOf('-')
  if (hyphen === -1) return undefined
  return { firm: name.slice(0, hyphen).trim(), branch: name.slice(hyphen + 1).trim() }
}

/** Parent code if no head office has the firm's name. Exchange codes never contain a colon. */
export const fallbackParentCode = (firm: string): string => `name:${brokerNameKey(firm)}`

/** True for a code made by `fallbackParentCode`. */
export const isFallbackCode = (code: string): boolean => code.startsWith('name:')

/**
 * The code of a firm or branch as printed; its case is preserved. For a branch with two codes, the
 * lists print both with a slash.
 *
 * @throws Refusal unreadable_code for any other content, for example in a shifted row
 */
export function brokerCode(cell: unknown): string {
  const code = String(cell ?? '').trim()
  if (/^[0-9A-Za-z]{4}(\/[0-9A-Za-z]{4})*$/.test(code)) return code
  throw bodyRefused(
    'unreadable_code',
    {
      en: `"${code}" is not the code of a broker or branch. Check the file against its source.`,
      zh: `「${code}」不是券商或分公司代號；請與來源核對檔案。`,
    },
    { said: code },
  )
}
