import { useNames } from '../../api/names.ts'
import { KIND, pageOf, recentHits, titleOf } from '../../frame/hits.ts'
import { linkTo, say } from '../../parts/language.ts'
import { watchlist } from '../../parts/watchlist.ts'

/**
 * Shows recently viewed securities and chosen search results. They are stored only in this browser.
 */
export function Recent() {
  const hits = recentHits()
  if (hits.length === 0) return null
  return (
    <nav class="recent" aria-labelledby="recent">
      <h2 id="recent">{say({ en: 'Recently viewed', zh: '最近瀏覽' })}</h2>
      <ul>
        {hits.map(hit => (
          <li key={`${hit.type} ${hit.id}`}>
            <a href={linkTo(pageOf(hit))} title={say(KIND[hit.type])}>
              {titleOf(hit)} <code>{hit.id}</code>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** Shows the watchlist, which is stored only in this browser. */
export function Watched() {
  const tickers = watchlist.value
  const nameOf = useNames(tickers, { asVisitor: true })
  if (tickers.length === 0) return null
  return (
    <nav class="recent" aria-labelledby="watchlist">
      <h2 id="watchlist">
        <a href={linkTo('/companies?list=watchlist')}>{say({ en: 'Watchlist', zh: '自選股' })}</a>
      </h2>
      <ul>
        {tickers.map(ticker => (
          <li key={ticker}>
            <a href={linkTo(`/company/${encodeURIComponent(ticker)}`)}>
              {nameOf(ticker)} <code>{ticker}</code>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
