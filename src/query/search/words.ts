import MiniSearch, { type Query, type SearchResult } from 'minisearch'
import type { Entity } from './entity.ts'
import { FIELDS, type Field, WEIGHTS } from './field.ts'
import { foldText } from './fold.ts'
import { openLetters } from './letters.ts'
import { indexTerms, isLetter, mayBePrefix, mistakesIn, queryTerms } from './terms.ts'
import { inTurns } from './turns.ts'

/** A thing that has the words asked for. */
export interface WordHit {
  readonly of: number
  /** Comparable within one query only. */
  readonly weight: number
  readonly field: Field
}

const TEXT_OF: Readonly<Record<Field, (entity: Entity) => string>> = {
  code: ({ codes }) => codes.join('\n'),
  name: ({ names }) => names.join('\n'),
  description: ({ description }) => description,
}

/** Terms of one query that are looked up where it has more: the rarest. What has them is short enough to be looked at for the others. */
const LOOKED_UP = 2
const MOST_MISTYPED = 6
const fuzzy = (term: string): number | false => mistakesIn(term) || false
const all = (terms: readonly string[]): Query => ({ combineWith: 'AND', queries: [...terms] })

type Mini = MiniSearch<readonly [of: number, entity: Entity]>

/** @param lengths counts the texts that have each term, while things are added */
const openMini = (lengths: Map<string, number>): Mini =>
  new MiniSearch({
    idField: '0',
    fields: [...FIELDS],
    extractField: ([of, entity], name) => (name === '0' ? of : TEXT_OF[name as Field](entity)),
    tokenize(text) {
      const terms = indexTerms(text)
      for (const term of new Set(terms)) lengths.set(term, (lengths.get(term) ?? 0) + 1)
      return terms
    },
    processTerm: term => term,
    searchOptions: { tokenize: term => [term], boost: WEIGHTS, prefix: mayBePrefix },
    autoVacuum: false,
  })

/** Hits are taken as they come: the library would sort them, which takes longer than finding them where there are many. */
function ask(mini: Mini, query: Query, more: object = {}): readonly WordHit[] {
  const hits: WordHit[] = []
  const filter = (result: SearchResult): boolean => {
    hits.push(hitOf(result))
    return false
  }
  mini.search(query, { filter, ...more })
  return hits
}

/** An index of words over things numbered by their place in the list. The only file that imports MiniSearch. */
export async function indexWords(entities: readonly Entity[], signal: AbortSignal) {
  const lengths = new Map<string, number>()
  const [mini, letters] = [openMini(lengths), openLetters()]
  await inTurns(entities.entries(), signal, ([of, entity]) => {
    mini.add([of, entity])
    for (const field of FIELDS) letters.add(of, field, TEXT_OF[field](entity))
  })
  /** How long the list of a term is. A word that may be the beginning of others is taken for rare. */
  const lengthOf = (term: string): number => (isLetter(term) ? letters.count(term) : mayBePrefix(term) ? 0 : (lengths.get(term) ?? 0))
  const withEvery = (terms: readonly string[]): readonly WordHit[] => {
    const rarestFirst = terms.toSorted((a, b) => lengthOf(a) - lengthOf(b))
    const words = rarestFirst.filter(term => !isLetter(term)).slice(0, LOOKED_UP)
    const lookedUp = words.length > 0 ? words : rarestFirst.slice(0, 1)
    const hits = words.length > 0 ? ask(mini, all(words)) : lookedUp.flatMap(letters.having)
    const others = rarestFirst.filter(term => !lookedUp.includes(term))
    return others.length === 0 ? hits : hits.filter(({ of }) => hasEvery(entities[of]!, others))
  }
  return {
    /** Things that have every word asked for, in no order. */
    withAll: (text: string): readonly WordHit[] => withEvery([...new Set(queryTerms(text).flat())]),
    /** Things that have some of the words, or of mistyped ones the greater part, in no order. */
    withSome(text: string): readonly WordHit[] {
      const words = queryTerms(text)
      const some = words.length > 1 ? together(words.flatMap(withEvery)) : []
      return some.length > 0 ? some : ask(mini, { combineWith: 'OR', queries: mistyped(words) }, { fuzzy })
    },
  }
}

const mistyped = (words: readonly (readonly string[])[]): string[] =>
  words
    .flat()
    .filter(term => !isLetter(term))
    .slice(0, MOST_MISTYPED)

/** Hits of the same thing as one, of their summed weight. */
function together(hits: readonly WordHit[]): readonly WordHit[] {
  const sums = new Map<number, WordHit>()
  for (const hit of hits) sums.set(hit.of, { ...hit, weight: hit.weight + (sums.get(hit.of)?.weight ?? 0) })
  return [...sums.values()]
}

function hasEvery(entity: Entity, terms: readonly string[]): boolean {
  const text = foldText(FIELDS.map(field => TEXT_OF[field](entity)).join('\n'))
  return terms.every(term => text.includes(term))
}

function hitOf({ id, score, match }: SearchResult): WordHit {
  let field = FIELDS.length - 1
  for (const term in match) for (const name of match[term]!) field = Math.min(field, FIELDS.indexOf(name as Field))
  return { of: Number(id), weight: score, field: FIELDS[field]! }
}

export type Words = Awaited<ReturnType<typeof indexWords>>
