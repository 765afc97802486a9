import MiniSearch, { type Query, type SearchResult } from 'minisearch'
import type { Entity } from './entity.ts'
import { FIELDS, type Field } from './field.ts'
import { indexTerms, mayBePrefix, mistakesIn, queryTerms } from './terms.ts'
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

/** An index of words over things numbered by their place in the list. The only file that imports MiniSearch. */
export async function indexWords(entities: readonly Entity[], signal: AbortSignal) {
  const mini = new MiniSearch<readonly [of: number, entity: Entity]>({
    idField: '0',
    fields: [...FIELDS],
    extractField: ([of, entity], name) => (name === '0' ? of : TEXT_OF[name as Field](entity)),
    tokenize: indexTerms,
    processTerm: term => term,
    searchOptions: { tokenize: term => [term], boost: { code: 4, name: 3 } },
    autoVacuum: false,
  })
  await inTurns(entities.entries(), signal, entry => mini.add(entry))
  const ask = (query: Query, more: object = {}): readonly WordHit[] => {
    const hits: WordHit[] = []
    // Hits are taken as they come: the library would sort them, which takes longer than finding them where there are many.
    const filter = (result: SearchResult): boolean => {
      hits.push(hitOf(result))
      return false
    }
    mini.search(query, { prefix: mayBePrefix, filter, ...more })
    return hits
  }
  const all = (terms: readonly string[]): Query => ({ combineWith: 'AND', queries: [...terms] })
  return {
    /** Things that have every word asked for, in no order. */
    withAll: (text: string): readonly WordHit[] => ask(all(queryTerms(text).flat())),
    /** Things that have some of the words, or of mistyped ones the greater part, in no order. */
    withSome(text: string): readonly WordHit[] {
      const words = queryTerms(text)
      const some = words.length > 1 ? ask({ combineWith: 'OR', queries: words.map(all) }) : []
      return some.length > 0 ? some : ask({ combineWith: 'OR', queries: words.flat().slice(0, MOST_MISTYPED) }, { fuzzy })
    },
  }
}

const MOST_MISTYPED = 6
const fuzzy = (term: string): number | false => mistakesIn(term) || false

function hitOf({ id, score, match }: SearchResult): WordHit {
  let field = FIELDS.length - 1
  for (const term in match) for (const name of match[term]!) field = Math.min(field, FIELDS.indexOf(name as Field))
  return { of: Number(id), weight: score, field: FIELDS[field]! }
}

export type Words = Awaited<ReturnType<typeof indexWords>>
