import MiniSearch, { type SearchResult } from 'minisearch'
import type { Entity } from './entity.ts'
import { FIELDS, type Field, WEIGHTS } from './field.ts'
import { type Found, openFound } from './found.ts'
import { type Lists, openLists } from './lists.ts'
import { wordMeant } from './mistakes.ts'
import { indexTerms, isLetter, isWord, queryTerms } from './terms.ts'
import { inTurns } from './turns.ts'

const TEXT_OF: Readonly<Record<Field, (entity: Entity) => string>> = {
  code: ({ codes }) => codes.join('\n'),
  name: ({ names }) => names.join('\n'),
  description: ({ description }) => description,
}

/** Terms a word is weighed by where it has more: the rarest. */
const WEIGHED = 2
/** Hits that the terms of one query may be weighed by together; what is more frequent is read in the lists alone. */
const MOST_WEIGHED = 2_000

type Mini = MiniSearch<readonly [of: number, entity: Entity]>

/** @param lists takes every text's terms in while things are added */
const openMini = (lists: Lists, adding: () => number): Mini =>
  new MiniSearch({
    idField: '0',
    fields: [...FIELDS],
    extractField: ([of, entity], name) => (name === '0' ? of : TEXT_OF[name as Field](entity)),
    tokenize(text, field) {
      const terms = indexTerms(text)
      lists.add(adding(), field as Field, text, terms)
      return terms
    },
    processTerm: term => term,
    searchOptions: { tokenize: term => [term], boost: WEIGHTS, prefix: isWord },
    autoVacuum: false,
  })

/** Hits are taken as they come: the library would sort them, which takes longer than finding them where there are many. */
function weigh(mini: Mini, terms: readonly string[], take: (of: number, weight: number, field: number) => void): void {
  const filter = ({ id, score, match }: SearchResult): boolean => {
    let field = FIELDS.length - 1
    for (const term in match) for (const name of match[term]!) field = Math.min(field, FIELDS.indexOf(name as Field))
    take(Number(id), score, field)
    return false
  }
  mini.search({ combineWith: 'AND', queries: [...terms] }, { filter })
}

/** Texts of things, indexed. */
interface Indexed {
  readonly mini: Mini
  readonly lists: Lists
  readonly things: number
}

/** An index of words over things numbered by their place in the list. The only file that imports MiniSearch. */
export async function indexWords(entities: readonly Entity[], signal: AbortSignal) {
  const indexed = await indexTexts(entities, signal)
  return {
    /** Things that have every word asked for. */
    withAll: (text: string): Found => find(indexed, [[...new Set(queryTerms(text).flat())]]),
    /** Things that have every word as it was meant, or some of the words, or of the only one the greater part. */
    withSome(text: string): Found {
      const words = queryTerms(text).map(terms => terms.map(term => wordMeant(term, indexed.lists)))
      const terms = [...new Set(words.flat())]
      const tries = [[terms], words.length > 1 ? words : [], terms.filter(term => !isLetter(term)).map(term => [term])]
      let found = find(indexed, [])
      for (const tried of tries) if (found.size === 0) found = find(indexed, tried)
      return found
    },
  }
}

async function indexTexts(entities: readonly Entity[], signal: AbortSignal): Promise<Indexed> {
  const lists = openLists()
  let adding = 0
  const mini = openMini(lists, () => adding)
  await inTurns(entities.entries(), signal, ([of, entity]) => {
    adding = of
    mini.add([of, entity])
  })
  return { mini, lists, things: entities.length }
}

/** Things that have all the terms of one of the words, or of several. */
function find(indexed: Indexed, words: readonly (readonly string[])[]): Found {
  const [found, budget] = [openFound(indexed.things), { left: MOST_WEIGHED }]
  for (const terms of words) noteAll(indexed, terms, found, budget)
  return found
}

/** Hits that terms may still be weighed by. */
interface Budget {
  left: number
}

/** Notes things that have all the terms. */
function noteAll({ mini, lists, things }: Indexed, terms: readonly string[], found: Found, budget: Budget): void {
  const rarestFirst = terms.toSorted((a, b) => lists.count(a) - lists.count(b))
  const [rarest] = rarestFirst
  const count = rarest === undefined ? 0 : lists.count(rarest)
  if (rarest === undefined || count === 0) return
  const weighed = afford(rarestFirst, lists, budget)
  const others = rarestFirst.filter(term => !weighed.includes(term) && (weighed.length > 0 || term !== rarest))
  const among = havingAll(lists, others, things)
  const rarity = Math.log(1 + things / count)
  if (weighed.length > 0) weigh(mini, weighed, (of, weight, field) => among(of) && found.note(of, weight, field))
  else lists.each(rarest, (of, field) => among(of) && found.note(of, rarity * lists.weight(of, field), field))
}

/** Terms to weigh by: few, and none whose hits are more than are left. */
const afford = (rarestFirst: readonly string[], lists: Lists, budget: Budget): readonly string[] =>
  rarestFirst
    .filter(term => !isLetter(term))
    .slice(0, WEIGHED)
    .filter(term => {
      const count = lists.count(term)
      if (count > budget.left) return false
      budget.left -= count
      return true
    })

/** Tells which things have all the terms, each list read once. */
function havingAll(lists: Lists, terms: readonly string[], things: number): (of: number) => boolean {
  if (terms.length === 0) return () => true
  const had = new Uint8Array(things)
  for (const [at, term] of terms.entries())
    lists.each(term, of => {
      if (had[of] === at) had[of] = at + 1
    })
  return of => had[of] === terms.length
}
