import type { IsClosed } from '../../calendar/index.ts'
import { addDays } from '../../core/index.ts'
import type { DatasetCoverage } from './coverage-table.ts'
import { type Html, html } from './html.ts'

/**
 * Number of trading days. A page needs two trading days to compute changes. The datasets of a page
 * may end on different days.
 */
const TRADING_DAYS = 10
/** Maximum number of calendar days to search. The market closes for up to about 12 days. */
const SEARCHED_DAYS = 40

/**
 * Renders the last day of each dataset of a page and the newest trading days as `meta` elements.
 * With these days, the page's script can request rows immediately. Otherwise, the script would have
 * to request the catalog and the trading calendar before the rows. Null if no dataset has days.
 */
export function newestDays(coverages: readonly DatasetCoverage[], isClosed: IsClosed): Html | null {
  const lastDays = coverages.flatMap(({ dataset: { slug }, last }) => (last === null ? [] : [{ slug, last }]))
  if (lastDays.length === 0) return null
  const until = lastDays
    .map(({ last }) => last)
    .sort()
    .at(-1)!
  const tradingDays = Array.from({ length: SEARCHED_DAYS }, (_, age) => addDays(until, -age))
    .filter(day => !isClosed(day))
    .slice(0, TRADING_DAYS)
  return html`<meta name="last-days" content="${lastDays.map(({ slug, last }) => `${slug}=${last}`).join(' ')}">
<meta name="trading-days" content="${tradingDays.reverse().join(' ')}">`
}
