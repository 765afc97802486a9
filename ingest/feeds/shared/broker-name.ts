import { bodyRefused, tidyText } from '../../formats/index.ts'

/**
 * Normalizes a firm's name, so that different spellings compare as equal. Removes spaces, replaces
 * 臺 by 台, and resolves HTML entities and compatibility forms of characters.
 *
 * The lists spell the same firm in several ways: 臺灣企銀-桃園 and 台灣企銀-台中, 合庫- 台中 and 合庫-台南.
 */
export const brokerNameKey = (name: unknown): string => tidyText(name).replace(/\s/g, '').replaceAll('臺', '台')

/**
 * Splits a listed name at the first hyphen into firm and branch. Returns undefined for a head
 * office, because its name has no hyphen.
 */
export function splitBranchName(listed: string): { readonly firm: string; readonly branch: string } | undefined {
  const name = tidyText(listed)
  const hyphen = name.indexOf('-')
  if (hyphen === -1) return undefined
  return { firm: name.slice(0, hyphen).trim(), branch: name.slice(hyphen + 1).trim() }
}

/**
 * Returns the parent code of a branch if no head office has the firm's name. It contains a colon,
 * so it never equals a code of the exchange.
 */
export const fallbackParentCode = (firm: string): string => `name:${brokerNameKey(firm)}`

/** True if `fallbackParentCode` made the code. */
export const isFallbackCode = (code: string): boolean => code.startsWith('name:')

/**
 * Returns the code of a firm or branch as printed, without changing its case. If a branch has two
 * codes, the lists print both, separated by a slash.
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
