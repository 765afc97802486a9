import MiniSearch, { type SearchResult } from 'minisearch'
import { type Pace, processInSlices } from '../core/index.ts'
import type { SearchEntity } from './entity.ts'
import { createPostingLists, type PostingLists } from './postings.ts'
import { createWordHits, FIELDS, type Field, WEIGHTS, type WordHits } from './ranking.ts'
import { correctSpelling, indexTerms, isHanCharacter, isWord, queryTerms } from './text.ts'

const TEXT_OF: Readonly<Record<Field, (entity: SearchEntity) => string>> = {
  code: ({ codes }) => codes.join('\n'),
  name: ({ names }) => names.join('\n'),
  description: ({ description }) => description,
}

const MOST_WEIGHING_TERMS = 2
const MOST_WEIGHED_HITS = 2_000

type Mini = MiniSearch<readonly [ordinal: number, entity: SearchEntity]>

/** @param lists posting lists that receive the terms of every added text */
const createMini = (lists: PostingLists, adding: () => number): Mini =>
  new MiniSearch({
    idField: '0',
    fields: [...FIELDS],
    extractField: ([ordinal, entity], name) => (name === '0' ? ordinal : TEXT_OF[name as Field](entity)),
    tokenize(text, field) {
      const terms = indexTerms(text)
      lists.add(adding(), field as Field, text, terms)
      return terms
    },
    processTerm: term => term,
    searchOptions: { tokenize: term => [term], boost: WEIGHTS, prefix: isWord },
    autoVacuum: false,
  })

/** Visits hits in a filter that removes all hits, because MiniSearch would sort the hits. */
function weigh(mini: Mini, terms: readonly string[], visit: (ordinal: number, weight: number, field: number) => void): void {
  const filter = ({ id, score, match }: SearchResult): boolean => {
    let field = FIELDS.length - 1
    for (const term in match) for (const name of match[term]!) field = Math.min(field, FIELDS.indexOf(name as Field))
    visit(Number(id), score, field)
    return false
  }
  mini.search({ combineWith: 'AND', queries: [...terms] }, { filter })
}

interface Indexed {
  readonly mini: Mini
  readonly lists: PostingLists
  readonly entities: number
}

/** No other file imports MiniSearch. */
export async function indexWords(entities: readonly SearchEntity[], pace: Pace) {
  const indexed = await indexTexts(entities, pace)
  return {
    withAll: (text: string): WordHits => find(indexed, [[...new Set(queryTerms(text).flat())]]),
    /** Finds entities with every word. If there are none, finds entities with any word. */
    withSome(text: string): WordHits {
      const words = queryTerms(text).map(terms => terms.map(term => correctSpelling(term, indexed.lists)))
      const terms = [...new Set(words.flat())]
      const alternatives = [[terms], words.length > 1 ? words : [], terms.filter(term => !isHanCharacter(term)).map(term => [term])]
      let hits = find(indexed, [])
      for (const alternative of alternatives) if (hits.size === 0) hits = find(indexed, alternative)
      return hits
    },
  }
}

async function indexTexts(entities: readonly SearchEntity[], pace: Pace): Promise<Indexed> {
  const lists = createPostingLists()
  let adding = 0
  const mini = createMini(lists, () => adding)
  await processInSlices(entities.entries(), pace, ([ordinal, entity]) => {
    adding = ordinal
    mini.add([ordinal, entity])
  })
  return { mini, lists, entities: entities.length }
}

function find(indexed: Indexed, words: readonly (readonly string[])[]): WordHits {
  const hits = createWordHits(indexed.entities)
  const budget = { left: MOST_WEIGHED_HITS }
  for (const terms of words) addMatches(indexed, terms, hits, budget)
  return hits
}

interface Budget {
  left: number
}

function addMatches({ mini, lists, entities }: Indexed, terms: readonly string[], hits: WordHits, budget: Budget): void {
  const rarestFirst = terms.toSorted((a, b) => lists.count(a) - lists.count(b))
  const [rarest] = rarestFirst
  const count = rarest === undefined ? 0 : lists.count(rarest)
  if (rarest === undefined || count === 0) return
  const weighed = afford(rarestFirst, lists, budget)
  const others = rarestFirst.filter(term => !weighed.includes(term) && (weighed.length > 0 || term !== rarest))
  const isMatch = containsAll(lists, others, entities)
  const rarity = Math.log(1 + entities / count)
  if (weighed.length > 0) weigh(mini, weighed, (ordinal, weight, field) => isMatch(ordinal) && hits.add(ordinal, weight, field))
  else lists.visit(rarest, (ordinal, field) => isMatch(ordinal) && hits.add(ordinal, rarity * lists.weight(ordinal, field), field))
}

/** Returns the rarest terms whose hits together stay within the budget. */
const afford = (rarestFirst: readonly string[], lists: PostingLists, budget: Budget): readonly string[] =>
  rarestFirst
    .filter(term => !isHanCharacter(term))
    .slice(0, MOST_WEIGHING_TERMS)
    .filter(term => {
      const count = lists.count(term)
      if (count > budget.left) return false
      budget.left -= count
      return true
    })

function containsAll(lists: PostingLists, terms: readonly string[], entities: number): (ordinal: number) => boolean {
  if (terms.length === 0) return () => true
  const matched = new Uint8Array(entities)
  for (const [index, term] of terms.entries())
    lists.visit(term, ordinal => {
      if (matched[ordinal] === index) matched[ordinal] = index + 1
    })
  return ordinal => matched[ordinal] === terms.length
}
