import type { Coverage } from '../../clients/typescript/src/index.ts'
import { ask, rowsOf } from '../api/client.ts'
import type { Hit } from './hits.ts'

export interface MostTraded {
  readonly day: string
  readonly hits: readonly Hit[]
}

const SLUG = 'daily-prices'
const MOST = 6

let mostTradedOnce: Promise<MostTraded | null> | undefined

/**
 * Returns the most traded securities of the last day. Reads as a visitor, which costs no credits.
 * Null without data, or if visitors are not admitted.
 *
 * @param day the last day, if the page already knows it
 */
export function mostTraded(day?: string): Promise<MostTraded | null> {
  mostTradedOnce ??= ofDay(day)
  return mostTradedOnce
}

async function ofDay(givenDay: string | undefined): Promise<MostTraded | null> {
  const day = givenDay ?? (await lastDay())
  if (day === null) return null
  const query = { date: day, sort: '-turnover', limit: MOST, columns: 'ticker,name' }
  const answer = await ask<unknown>({ path: `/v2/datasets/${SLUG}/cross-section`, query, asVisitor: true })
  if (!answer.ok) return null
  const hits = rowsOf(answer).rows.map(row => ({
    type: 'symbol' as const,
    id: String(row['ticker']),
    title: String(row['name'] ?? row['ticker']),
    title_en: null,
    title_zh: null,
    subtitle: null,
  }))
  return hits.length === 0 ? null : { day, hits }
}

async function lastDay(): Promise<string | null> {
  const answer = await ask<Coverage>({ path: `/v2/coverage/${SLUG}`, asVisitor: true })
  return answer.ok ? answer.body.last_date : null
}
