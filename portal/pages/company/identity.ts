import type { Signal } from '@preact/signals'
import { type Asked, useAnswer } from '../../api/use.ts'
import type { Hit } from '../../frame/hits.ts'

/** What a security is called and where it trades; null for what is not known. */
export interface Identity {
  readonly name: string | null
  readonly englishName: string | null
  readonly market: string | null
  readonly industry: string | null
  readonly type: string | null
}

const FIELDS = { name: 'name', englishName: 'english_name', market: 'market', industry: 'industry', type: 'type' } as const

interface Fields {
  readonly data: readonly { readonly fields: Readonly<Record<string, { readonly value: unknown }>> }[]
}

/** The identity of a security; null in the answer where no list has its ticker. */
export const useIdentity = (symbol: string): Signal<Asked<Identity | null>> =>
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
      const [found] = (body as Fields).data
      if (!found) return null
      const text = (name: string) => {
        const value = found.fields[`security.${name}`]?.value
        return typeof value === 'string' ? value : null
      }
      return Object.fromEntries(Object.entries(FIELDS).map(([key, name]) => [key, text(name)])) as unknown as Identity
    },
  )

type Security = Hit & { readonly market: string | null }

const useFound = (q: string | null): Signal<Asked<readonly Security[]>> =>
  useAnswer(
    q === null ? null : { path: '/v2/search', query: { q, type: 'symbol', limit: 8 } },
    ({ body }) => (body as { readonly data: readonly Security[] }).data,
  )

const FEWEST = 2

/** Securities whose ticker or name is like a ticker: that begins with it, or where none does, with all of it but the end. */
export function useAlike(ticker: string | null): Asked<readonly Security[]> {
  const exact = useFound(ticker).value
  const isNone = ticker !== null && ticker.length > FEWEST && exact.state === 'done' && exact.value?.length === 0
  const shorter = useFound(isNone ? ticker.slice(0, -1) : null).value
  return isNone ? shorter : exact
}
