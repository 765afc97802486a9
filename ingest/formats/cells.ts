import { bodyRefused } from './feed.ts'
import { plainText } from './html.ts'

/**
 * Cleans text of a register: decodes HTML entities, converts compatibility forms of characters, and
 * trims.
 *
 * The registers write some characters as entities of compatibility ideographs (U+F963 for 北), and
 * some digits in full width.
 */
export const tidyText = (cell: unknown): string =>
  plainText(String(cell ?? ''))
    .normalize('NFKC')
    .trim()

export const tidyOrNull = (cell: unknown): string | null => tidyText(cell) || null

/**
 * Normalizes a heading for comparison: converts （元） to (元), and removes markup and spaces.
 *
 * The exchanges use different brackets, spaces and line breaks in headings of different tables and
 * years.
 */
export const heading = (name: unknown): string =>
  String(name ?? '')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&nbsp;', '')
    .normalize('NFKC')
    .replace(/\s/g, '')

/**
 * Returns an exchange code as trimmed text. Letters and leading zeros are preserved.
 *
 * @throws Refusal unreadable_ticker if the cell contains anything else, for example in a shifted
 * row
 */
export function tickerCell(cell: unknown): string {
  const ticker = String(cell ?? '').trim()
  if (!/^[0-9A-Za-z]{4,8}$/.test(ticker)) {
    throw bodyRefused(
      'unreadable_ticker',
      {
        en: `"${ticker}" is not a security code. Check the file against its source.`,
        zh: `「${ticker}」不是證券代號；請與來源核對檔案。`,
      },
      { said: ticker },
    )
  }
  return ticker
}
