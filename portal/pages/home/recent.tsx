import { KIND, pageOf, recentHits } from '../../frame/hits.ts'
import { linkTo, say } from '../../parts/language.ts'

/** Recent choices in the search box, stored only in this browser. */
export function Recent() {
  const hits = recentHits()
  if (hits.length === 0) return null
  return (
    <nav class="recent" aria-labelledby="recent">
      <h2 id="recent">{say({ en: 'Recent searches', zh: '最近搜尋' })}</h2>
      <ul>
        {hits.map(hit => (
          <li key={`${hit.type} ${hit.id}`}>
            <a href={linkTo(pageOf(hit))} title={say(KIND[hit.type])}>
              {hit.title} <code>{hit.id}</code>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
