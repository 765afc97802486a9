import { closest, distance } from 'fastest-levenshtein'

/** Names that other services give to what has another name here, each with ours. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  ...named(['ticker', 'tickers', 'symbols', 'stock', 'stock_id', 'stock_no', 'code', 'data_id'], ['symbol', 'entity_id']),
  ...named(['date_from', 'from', 'from_date', 'start', 'begin', 'begin_date'], ['start_date']),
  ...named(['date_to', 'to', 'to_date', 'end', 'until'], ['end_date']),
  ...named(['page_size', 'per_page', 'top', 'count', 'max_rows'], ['limit']),
  ...named(['skip'], ['offset']),
  ...named(['sort', 'order_by', 'orderby'], ['sort_by', 'sort']),
  ...named(['order', 'direction'], ['sort_order']),
  ...named(['fields', 'select'], ['columns']),
  ...named(['query', 'search', 'keyword'], ['q']),
}

function named(names: readonly string[], ours: readonly string[]): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(names.map(name => [name, ours]))
}

/** The known parameter that an unknown one probably means: what others call so, else the nearest word. */
export function nearestParam(name: string, known: readonly string[]): string | undefined {
  const small = name.toLowerCase()
  const ours = Object.hasOwn(SYNONYMS, small) ? SYNONYMS[small]! : []
  return ours.find(word => known.includes(word)) ?? nearest(small, known)
}

const YES = /^(true|t|yes|y|on|1)$/i
const NO = /^(false|f|no|n|off|0)$/i

/** A yes or no as the languages of clients write it, for example `True` or `1`; undefined for any other text. */
export function flagOf(text: string): boolean | undefined {
  if (YES.test(text)) return true
  return NO.test(text) ? false : undefined
}

const lettersOf = (word: string): string => [...word].sort().join('')

/**
 * The known word a mistyped one probably meant, or undefined when none is within two edits or a third of its length, and half of what was
 * typed; two letters that changed places are no more than that.
 */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (known.length === 0 || word.length > 64) return undefined
  const guess = closest(word, [...known])
  const most = Math.min(Math.max(2, Math.floor(guess.length / 3)), Math.floor(word.length / 2))
  const edits = distance(word, guess)
  return edits <= most || (edits <= 2 && lettersOf(word) === lettersOf(guess)) ? guess : undefined
}
