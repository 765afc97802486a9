import type { SearchEntity, Titles } from './entity.ts'
import type { SearchIndex } from './search-index.ts'

export interface Symbols {
  has(ticker: string): boolean
  /** Null if the ticker is not in the index. */
  nameOf(ticker: string): Titles | null
  /** Returns up to 3 similar tickers, best match first. */
  similarTo(text: string): readonly SimilarSymbol[]
}

export interface SimilarSymbol {
  readonly symbol: string
  readonly name: string
}

const MOST_SIMILAR = 3
const SHORTEST_TICKER = 4

export function createSymbols(entities: readonly SearchEntity[], index: SearchIndex): Symbols {
  // Tenors of bonds are also symbols, but shorter than tickers.
  const isTicker = ({ type, id }: SearchEntity): boolean => type === 'symbol' && id.length >= SHORTEST_TICKER
  const listed = entities.filter(isTicker)
  const names = new Map(listed.map(({ id, title }) => [id, title]))
  const titles = new Map(listed.map(({ id, titles }) => [id, titles]))
  return {
    has: ticker => names.has(ticker),
    nameOf: ticker => titles.get(ticker) ?? null,
    similarTo(text) {
      const candidates = [...(/^[A-Z]+$/i.test(text) ? namedBy(text, index) : []), ...oneEditFrom(text)]
      const symbols = [...new Set(candidates.filter(candidate => names.has(candidate)))]
      return symbols.slice(0, MOST_SIMILAR).map(symbol => ({ symbol, name: names.get(symbol)! }))
    },
  }
}

const namedBy = (text: string, index: SearchIndex): readonly string[] =>
  index
    .find(text)
    .page('symbol', 0, MOST_SIMILAR)
    .flatMap(({ entity, matchedOn }) => (matchedOn === 'name' ? [entity.id] : []))

/** Letters that users often type instead of a digit. */
const LOOKALIKES: Readonly<Record<string, string>> = { O: '0', Q: '0', I: '1', L: '1', Z: '2', S: '5', B: '8' }
const CHARACTERS = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ']

/** Returns all texts that differ by one edit, likely mistakes first. */
function oneEditFrom(text: string): readonly string[] {
  const positions = Array.from(text, (_, position) => position).reverse()
  const replaced = (position: number, length: number, by: string): string => text.slice(0, position) + by + text.slice(position + length)
  const inserted = [text.length, ...positions]
  return [
    [...text].map(character => LOOKALIKES[character] ?? character).join(''),
    ...positions.filter(position => position > 0).map(position => replaced(position - 1, 2, text[position]! + text[position - 1]!)),
    ...positions.map(position => replaced(position, 1, '')),
    ...inserted.flatMap(position => CHARACTERS.map(character => replaced(position, 0, character))),
    ...positions.flatMap(position => CHARACTERS.map(character => replaced(position, 1, character))),
  ]
}
