import type { Signal } from '@preact/signals'
import type { FieldQueryAnswer, FieldValue, SearchHit, SearchResult } from '../../../clients/typescript/src/index.ts'
import { type Loaded, useAnswer } from '../../api/use.ts'

export interface Identity {
  readonly name: string | null
  readonly englishName: string | null
  readonly market: string | null
  readonly industry: string | null
  readonly type: string | null
}

const FIELDS = {
  name: 'security.name',
  englishName: 'security.english_name',
  fundName: 'fund.english_name',
  market: 'security.market',
  industry: 'security.industry',
  type: 'security.type',
} as const

/** Null if no list of securities contains the ticker. */
export const useIdentity = (symbol: string): Signal<Loaded<Identity | null>> =>
  useAnswer(
    {
      path: '/v2/query',
      query: {
        entity_type: 'company',
        entity_ids: symbol,
        fields: Object.values(FIELDS).join(','),
      },
    },
    ({ body }) => {
      const [found] = (body as FieldQueryAnswer).data
      if (!found) return null
      const text = (name: keyof typeof FIELDS) => {
        const value = (found.fields as Readonly<Record<string, FieldValue>>)[FIELDS[name]]?.value
        return typeof value === 'string' ? value : null
      }
      return {
        name: text('name'),
        englishName: text('englishName') ?? text('fundName'),
        market: text('market'),
        industry: text('industry'),
        type: text('type'),
      }
    },
  )

/** Searches for securities by ticker. Null requests nothing. */
export const useFound = (q: string | null): Signal<Loaded<readonly SearchHit[]>> =>
  useAnswer(q === null ? null : { path: '/v2/search', query: { q, type: 'symbol', limit: 8 } }, ({ body }) => (body as SearchResult).data)
