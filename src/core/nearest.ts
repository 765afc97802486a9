import { closest, distance } from 'fastest-levenshtein'

/** Parameter of this service for each name in other services. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  ...synonymsOf(['ticker', 'tickers', 'symbols', 'stock', 'stock_id', 'stock_no', 'code', 'data_id'], ['symbol', 'entity_id']),
  ...synonymsOf(['date_from', 'from', 'from_date', 'start', 'begin', 'begin_date'], ['start_date']),
  ...synonymsOf(['date_to', 'to', 'to_date', 'end', 'until'], ['end_date']),
  ...synonymsOf(['page_size', 'per_page', 'top', 'count', 'max_rows'], ['limit']),
  ...synonymsOf(['skip'], ['offset']),
  ...synonymsOf(['sort', 'order_by', 'orderby'], ['sort_by', 'sort']),
  ...synonymsOf(['order', 'direction'], ['sort_order']),
  ...synonymsOf(['fields', 'select'], ['columns']),
  ...synonymsOf(['query', 'search', 'keyword'], ['q']),
}

function synonymsOf(names: readonly string[], targets: readonly string[]): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(names.map(name => [name, targets]))
}

/** Suggests a parameter. Prefers a synonym to a similar name. */
export function nearestParam(name: string, names: readonly string[]): string | undefined {
  const lowerCase = name.toLowerCase()
  const candidates = Object.hasOwn(SYNONYMS, lowerCase) ? SYNONYMS[lowerCase]! : []
  return candidates.find(word => names.includes(word)) ?? nearest(lowerCase, names)
}

const YES = /^(true|t|yes|y|on|1)$/i
const NO = /^(false|f|no|n|off|0)$/i

/**
 * Accepts the notation of common languages, for example `True` or `1`. Undefined for other text.
 */
export function flagOf(text: string): boolean | undefined {
  if (YES.test(text)) return true
  return NO.test(text) ? false : undefined
}

const lettersOf = (word: string): string => [...word].sort().join('')

/** Suggests a similar word. Permits two edits, or a third of the word's length if greater. */
export function nearest(word: string, words: readonly string[]): string | undefined {
  if (words.length === 0 || word.length > 64) return undefined
  const match = closest(word, [...words])
  const maxEdits = Math.min(Math.max(2, Math.floor(match.length / 3)), Math.floor(word.length / 2))
  const edits = distance(word, match)
  return edits <= maxEdits || (edits <= 2 && lettersOf(word) === lettersOf(match)) ? match : undefined
}
