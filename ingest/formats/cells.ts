import { bodyRefused } from './feed.ts'
import { plainText } from './html.ts'

/**
 * Decodes entities and normalizes characters. The registers write some characters as entities of
 * compatibility ideographs (U+F963 for 北), and some digits in full width.
 */
export const tidyText = (cell: unknown): string =>
  plainText(String(cell ?? ''))
    .normalize('NFKC')
    .trim()

export const tidyOrNull = (cell: unknown): string | null => tidyText(cell) || null

/**
 * Normalizes a heading for comparison. Brackets, spaces and line breaks differ between tables and
 * years.
 */
export const heading = (name: unknown): string =>
  String(name ?? '')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&nbsp;', '')
    .normalize('NFKC')
    .replace(/\s/g, '')

/**
 * Returns an exchange code. Preserves letters and leading zeros.
 *
 * @throws Refusal unreadable_ticker
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
