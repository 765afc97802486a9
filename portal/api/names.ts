import { type Signal, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { FieldQueryAnswer, FieldValue } from '../../clients/typescript/src/index.ts'
import { LANGUAGE } from '../parts/language.ts'
import { readAsVisitorFirst } from './visitor-first.ts'

/** Maximum number of securities per request. */
const MOST = 100

/** Fields with the name of a security. The first field with a value is used. */
const FIELDS = LANGUAGE === 'en' ? ['security.english_name', 'fund.english_name', 'security.name'] : ['security.name']

/** Names by ticker, in the page's language. A name is empty if the security has none. */
export const names: Signal<ReadonlyMap<string, string>> = signal(new Map<string, string>())
const requested = new Set<string>()

async function load(tickers: readonly string[], asVisitor: boolean): Promise<void> {
  const query = { entity_type: 'company', entity_ids: tickers, fields: FIELDS }
  const answer = await readAsVisitorFirst<FieldQueryAnswer>({ path: '/v2/query', query, asVisitor })
  if (!answer.ok) {
    // Allows another component to request the missing names again. Until then, the page shows the
    // names in the rows.
    for (const ticker of tickers) requested.delete(ticker)
    return
  }
  const found = answer.body.data.map(({ entity_id, fields }) => {
    const values = FIELDS.map(field => (fields as Readonly<Record<string, FieldValue>>)[field]?.value)
    return [entity_id, values.find(value => typeof value === 'string') ?? ''] as const
  })
  names.value = new Map([...names.value, ...found])
}

export interface NamesOptions {
  /** True if rows contain Chinese names. Chinese pages then request no names. */
  readonly areInRows?: boolean
  /** True to send the request as a visitor, which costs no credits. */
  readonly asVisitor?: boolean
}

/** @param chinese Chinese name in the row */
export type NameOf = (ticker: string, chinese?: unknown) => string

/**
 * Requests names in the page's language. Until a name arrives, the Chinese name in the row is
 * used. That name also stays if a security has no English name.
 */
export function useNames(tickers: readonly string[], { areInRows = false, asVisitor = false }: NamesOptions = {}): NameOf {
  useEffect(() => {
    if (areInRows && LANGUAGE === 'zh') return
    const missing = [...new Set(tickers)].filter(ticker => !requested.has(ticker))
    for (const ticker of missing) requested.add(ticker)
    for (let from = 0; from < missing.length; from += MOST) void load(missing.slice(from, from + MOST).sort(), asVisitor)
  }, [tickers.join()])
  const known = names.value
  return (ticker, chinese) => known.get(ticker) || (typeof chinese === 'string' ? chinese : '')
}
