import type { Signal } from '@preact/signals'
import type { FieldQueryAnswer, FieldValue, SearchHit, SearchResult } from '../../../clients/typescript/src/index.ts'
import { type Loaded, useAnswer } from '../../api/use.ts'

/** A security's names and market; unknown values are null. */
export interface Identity {
  readonly name: string | null
  readonly englishName: string | null
  readonly market: string | null
  readonly industry: string | null
  readonly type: string | null
}

const FIELDS = { name: 'name', englishName: 'english_name', market: 'market', industry: 'industry', type: 'type' } as const

/** The identity of a security; null if no list contains its ticker. */
export const useIdentity = (symbol: string): Signal<Loaded<Identity | null>> =>
  useAnswer(
    {
      path: '/v2/query',
      query: {
        entity_type: 'company',
        entity_ids: symbol,
        fields: Object.values(FIELDS)
          .map(name => `security.${name}`)
          .join(','),
      },
    },
    ({ body }) => {
      const [found] = (body as FieldQueryAnswer).data
      if (!found) return null
      const text = (name: string) => {
        const value = (found.fields as Readonly<Record<string, FieldValue>>)[`security.${name}`]?.value
        return typeof value === 'string' ? value : null
      }
      return Object.fromEntries(Object.entries(FIELDS).map(([key, name]) => [key, text(name)])) as unknown as Identity
    },
  )

const useFound = (q: string | null): Signal<Loaded<readonly SearchHit[]>> =>
  useAnswer(q === null ? null : { path: '/v2/search', query: { q, type: 'symbol', limit: 8 } }, ({ body }) => (body as SearchResult).data)

const FEWEST = 2

/**
 * Securities with a similar ticker or name: the search results for the ticker. If there are none,
 * the results for the ticker without its last character.
 */
export function useSimilar(ticker: string | null): Loaded<readonly SearchHit[]> {
  const exact = useFound(ticker).value
  const isNone = ticker !== null && ticker.length > FEWEST && exact.state === 'done' && exact.value?.length === 0
  const shorter = useFound(isNone ? ticker.slice(0, -1) : null).value
  return isNone ? shorter : exact
}
