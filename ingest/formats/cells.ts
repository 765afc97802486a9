import { bodyRefused } from './feed.ts'
import { plainText } from './html.ts'

/**
 * Text of a register as a person would write it: entities read, compatibility forms folded, outer blanks gone.
 *
 * The registers spell some characters as entities of compatibility ideographs (U+F963 for 北) and mix full-width digits in.
 */
export const tidyText = (cell: unknown): string =>
  plainText(String(cell ?? ''))
    .normalize('NFKC')
    .trim()

/** As tidyText, null where nothing is written. */
export const tidyOrNull = (cell: unknown): string | null => tidyText(cell) || null

/**
 * A column name as it is compared: compatibility forms folded, so （元） is (元); markup and every blank gone.
 *
 * The exchanges change brackets, blanks and line breaks in headings from table to table and year to year.
 */
export const heading = (name: unknown): string =>
  String(name ?? '')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&nbsp;', '')
    .normalize('NFKC')
    .replace(/\s/g, '')

/**
 * An exchange code as text, padding removed, letters and leading zeros kept.
 *
 * @throws Refusal unreadable_ticker when the cell holds anything else, as in a shifted row
 */
export function tickerCell(cell: unknown): string {
  const ticker = String(cell ?? '').trim()
  if (!/^[0-9A-Za-z]{4,8}$/.test(ticker)) {
    throw bodyRefused(
      'unreadable_ticker',
      {
        en: `"${ticker}" stands where a security's code belongs; check the file against its source.`,
        zh: `證券代號的位置出現「${ticker}」；請與來源核對檔案。`,
      },
      { said: ticker },
    )
  }
  return ticker
}
