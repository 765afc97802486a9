import { FOUND_TYPES, type FoundType } from '../../catalog/index.ts'
import { type Pace, processInSlices } from '../core/index.ts'
import type { SearchEntity } from './entity.ts'
import { createPrefixIndex } from './postings.ts'
import { createScoreboard, type Ranking } from './ranking.ts'
import { compactText } from './text.ts'
import { indexWords } from './words.ts'

export interface SearchIndex {
  readonly size: number
  find(text: string): Ranking
  /** Ordered by id. */
  ofType(type: FoundType): readonly SearchEntity[]
}

/** Lowest score of each kind of match. Scores of two kinds never overlap. */
const SCORE = { code: 10_000, codeInOtherCase: 9_900, codePrefix: 8_000, name: 7_500, namePrefix: 6_000, words: 0 } as const
const PREFIX = 1_000
const WORDS = 5_000

/**
 * Lets the event loop run between slices of work.
 * @throws the signal's reason after an abort
 */
export async function createSearchIndex(unordered: readonly SearchEntity[], pace: Pace): Promise<SearchIndex> {
  const entities = await inOrder(unordered, pace)
  const codes = createPrefixIndex()
  const names = createPrefixIndex()
  let ordinal = 0
  await processInSlices(entities, pace, entity => {
    for (const text of new Set(entity.codes.map(compactText))) codes.add({ text, ordinal })
    for (const text of new Set(entity.names.map(compactText))) names.add({ text, ordinal })
    ordinal++
  })
  const words = await indexWords(entities, pace)
  const find = (text: string): Ranking => {
    const scores = createScoreboard(entities)
    const query = text.normalize('NFKC').trim()
    const compactQuery = compactText(text)
    const prefixScore = (entry: string): number => Math.round((PREFIX * compactQuery.length) / entry.length)
    for (const { text, ordinal } of names.startingWith(compactQuery))
      scores.add(ordinal, text === compactQuery ? SCORE.name : SCORE.namePrefix + prefixScore(text), 'name')
    for (const { text, ordinal } of codes.startingWith(compactQuery)) {
      const exactScore = entities[ordinal]!.codes.includes(query) ? SCORE.code : SCORE.codeInOtherCase
      scores.add(ordinal, text === compactQuery ? exactScore : SCORE.codePrefix + prefixScore(text), 'code')
    }
    const strict = words.withAll(text)
    const hits = strict.size > 0 || !scores.isEmpty ? strict : words.withSome(text)
    hits.visit((ordinal, share, field) => scores.add(ordinal, SCORE.words + Math.max(1, Math.round(WORDS * share)), field))
    return scores.rank()
  }
  const ofType: SearchIndex['ofType'] = type => entities.filter(entity => entity.type === type)
  return { size: entities.length, find, ofType }
}

/** Sorts by type, then id. Sorts small groups, so that no sort blocks the event loop for long. */
async function inOrder(entities: readonly SearchEntity[], pace: Pace): Promise<readonly SearchEntity[]> {
  const groups = new Map<string, SearchEntity[]>()
  await processInSlices(entities, pace, entity => {
    const name = `${FOUND_TYPES.indexOf(entity.type)} ${entity.id.slice(0, 3)}`
    const group = groups.get(name)
    if (group) group.push(entity)
    else groups.set(name, [entity])
  })
  const sorted: SearchEntity[] = []
  for (const name of [...groups.keys()].sort()) {
    const group = groups.get(name)!.sort((a, b) => (a.id < b.id ? -1 : 1))
    await processInSlices(group, pace, entity => void sorted.push(entity))
  }
  return sorted
}
