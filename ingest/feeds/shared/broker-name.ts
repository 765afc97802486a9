import { bodyRefused, tidyText } from '../../formats/index.ts'

/**
 * Normalizes a firm's name for comparison. The lists spell a firm in several ways, for example 臺灣企銀
 * and 台灣企銀.
 */
export const brokerNameKey = (name: unknown): string => tidyText(name).replace(/\s/g, '').replaceAll('臺', '台')

/** Splits a name at the first hyphen. Undefined for a head office, which has no hyphen. */
export function splitBranchName(listed: string): { readonly firm: string; readonly branch: string } | undefined {
  const name = tidyText(listed)
  const hyphen = name.indexOf('-')
  if (hyphen === -1) return undefined
  return { firm: name.slice(0, hyphen).trim(), branch: name.slice(hyphen + 1).trim() }
}

/**
 * Returns a code for a firm that the list lacks. The colon excludes collisions with official codes.
 */
export const fallbackParentCode = (firm: string): string => `name:${brokerNameKey(firm)}`

/** True if `fallbackParentCode` made the code. */
export const isFallbackCode = (code: string): boolean => code.startsWith('name:')

/**
 * Returns the code as printed. Two codes are separated by a slash.
 *
 * @throws Refusal unreadable_code
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
