import { bodyRefused } from './feed.ts'

/**
 * An exchange code as text, padding removed, letters and leading zeros kept.
 *
 * @throws Refusal unreadable_ticker when the cell holds anything else, as in a shifted row
 */
export function tickerCell(cell: unknown): string {
  const ticker = String(cell ?? '').trim()
  if (!/^[0-9A-Za-z]{4,8}$/.test(ticker)) {
    throw bodyRefused('unreadable_ticker', `"${ticker}" stands where a security's code belongs; check the file against its source.`, {
      said: ticker,
    })
  }
  return ticker
}
