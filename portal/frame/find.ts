import type { SearchResult } from '../../clients/typescript/src/index.ts'
import { type Answer, ask } from '../api/client.ts'
import { number, say } from '../parts/language.ts'
import { type Hit, hitOf } from './hits.ts'
import { PAGES, type Place, placesFor } from './places.ts'

/** Maximum number of results. */
export const MOST = 8

const MOST_PLACES = 3

/** Maximum number of results to request. Funds rank below the branches of a broker. */
const MOST_READ = 40

/** Number of results that are neither securities nor indices, if there are so many. */
const LEAST_OTHERS = 2

let guidesOnce: Promise<readonly Place[]> | undefined

/** Requests the guides once per page, with the first search. */
export function guides(): Promise<readonly Place[]> {
  guidesOnce ??= ask<readonly Omit<Place, 'type'>[]>({ path: '/docs/guides.json', asVisitor: true }).then(answer =>
    answer.ok ? answer.body.map(guide => ({ ...guide, type: 'guide' as const })) : [],
  )
  return guidesOnce
}

/** Maximum wait for the guides, in ms. */
const GUIDES_MS = 300

/** Returns the guides. Empty if they do not arrive in time. */
const guidesInTime = (): Promise<readonly Place[]> =>
  Promise.race([guides(), new Promise<readonly Place[]>(resolve => setTimeout(() => resolve([]), GUIDES_MS))])

export interface Found {
  readonly hits: readonly Hit[]
  readonly note: string
}

/**
 * Searches companies, pages, guides and everything else with a page.
 *
 * @throws DOMException if the signal aborts the request
 */
export async function find(q: string, signal: AbortSignal): Promise<Found> {
  const answer: Answer<SearchResult> = await ask({ path: '/v2/search', query: { q, limit: MOST_READ } }, signal)
  const places = placesFor(q, [...PAGES, ...(await guidesInTime())], MOST_PLACES).map(hitOf)
  if (!answer.ok) return { hits: places, note: answer.refused.message }
  const { data, total: found, hint } = answer.body
  const total = found + places.length
  const exact = data.filter(({ type }) => type === 'symbol' || type === 'index')
  const others = data.filter(({ type }) => type !== 'symbol' && type !== 'index')
  const mostExact = MOST - places.length - Math.min(LEAST_OTHERS, others.length)
  const hits = [...exact.slice(0, mostExact), ...places, ...others].slice(0, MOST)
  if (total === 0) return { hits, note: hint ?? say({ en: 'Nothing found.', zh: '查無結果。' }) }
  if (hits.length === total) return { hits, note: say({ en: total === 1 ? '1 result' : `${total} results`, zh: `共 ${total} 筆` }) }
  return {
    hits,
    note: say({ en: `${hits.length} of ${number(total, 0)} results`, zh: `共 ${number(total, 0)} 筆，顯示 ${hits.length} 筆` }),
  }
}
