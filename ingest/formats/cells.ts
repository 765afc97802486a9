import { bodyRefused } from './feed.ts'
import { plainText } from './html.ts'

/**
 * Normalizes text of a register: decodes entities, converts compatibility forms, trims.
 *
 * The registers write some characters as entities of compatibility ideographs (U+F963 for 北), and
 * mix in full-width digits.
 */
export const tidyText = (cell: unknown): string =>
  plainText(String(cell ?? ''))
    .normalize('NFKC')
    .trim()

/** Like `tidyText`. Null if the result is empty. */
export const tidyOrNull = (cell: unknown): string | null => tidyText(cell) || null

/**
 * Normalizes a column name for comparison: （元） becomes (元), and markup and spaces are removed.
 *
 * The exchanges use different brackets, spaces and line breaks in headers of different tables and
 * years.
 */
export const heading = (name: unknown): string =>
  String(name ?? '')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&nbsp;', '')
    .normalize('NFKC')
    .replace(/\s/g, '')

/**
 * An exchange code as trimmed text. Letters and leading zeros are preserved.
 *
 * @throws Refusal unreadable_ticker if the cell has anything else, for example in a shifted row
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
