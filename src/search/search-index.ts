import { FOUND_TYPES } from '../../catalog/index.ts'
import { openBeginnings } from './beginnings.ts'
import type { Entity } from './entity.ts'
import { compactText } from './fold.ts'
import { openTally, type Ranking } from './ranking.ts'
import { inTurns } from './turns.ts'
import { indexWords } from './words.ts'

export interface SearchIndex {
  /** Things it holds. */
  readonly size: number
  find(text: string): Ranking
}

/** Scores by how something was found. Each span lies above the next one. */
const SCORE = { code: 10_000, codeInOtherCase: 9_900, codeBeginning: 8_000, name: 7_500, nameBeginning: 6_000, words: 0 } as const
/** What a beginning, or the words, may add: the more of the text they are, the more. */
const [BEGINNING, WORDS] = [1_000, 5_000]

/**
 * An index over things, built in slices that let requests be answered in between.
 *
 * @throws the signal's reason once it is aborted
 */
export async function buildIndex(things: readonly Entity[], signal: AbortSignal): Promise<SearchIndex> {
  const entities = await inOrder(things, signal)
  const [codes, names] = [openBeginnings(), openBeginnings()]
  let of = 0
  await inTurns(entities, signal, entity => {
    for (const text of new Set(entity.codes.map(compactText))) codes.add({ text, of })
    for (const text of new Set(entity.names.map(compactText))) names.add({ text, of })
    of++
  })
  const words = await indexWords(entities, signal)
  const find = (text: string): Ranking => {
    const tally = openTally(entities)
    const [written, wanted] = [text.normalize('NFKC').trim(), compactText(text)]
    const share = (whole: string): number => Math.round((BEGINNING * wanted.length) / whole.length)
    for (const { text, of } of names.startingWith(wanted))
      tally.note(of, text === wanted ? SCORE.name : SCORE.nameBeginning + share(text), 'name')
    for (const { text, of } of codes.startingWith(wanted)) {
      const whole = entities[of]!.codes.includes(written) ? SCORE.code : SCORE.codeInOtherCase
      tally.note(of, text === wanted ? whole : SCORE.codeBeginning + share(text), 'code')
    }
    const strict = words.withAll(text)
    const found = strict.size > 0 || !tally.isEmpty ? strict : words.withSome(text)
    found.each((of, share, field) => tally.note(of, SCORE.words + Math.max(1, Math.round(WORDS * share)), field))
    return tally.rank()
  }
  return { size: entities.length, find }
}

/** Things by type and then id: the order among hits of equal score. Sorted by groups, so that none takes long. */
async function inOrder(things: readonly Entity[], signal: AbortSignal): Promise<readonly Entity[]> {
  const groups = new Map<string, Entity[]>()
  await inTurns(things, signal, entity => {
    const name = `${FOUND_TYPES.indexOf(entity.type)} ${entity.id.slice(0, 3)}`
    const group = groups.get(name)
    if (group) group.push(entity)
    else groups.set(name, [entity])
  })
  const sorted: Entity[] = []
  for (const name of [...groups.keys()].sort()) {
    const group = groups.get(name)!.sort((a, b) => (a.id < b.id ? -1 : 1))
    await inTurns(group, signal, entity => void sorted.push(entity))
  }
  return sorted
}
