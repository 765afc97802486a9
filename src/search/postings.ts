import { FIELDS, type Field, WEIGHTS } from './ranking.ts'
import { hanCharacters, isWord } from './text.ts'

/** `ordinal` is the position of the entity in the index. */
export interface Entry {
  readonly text: string
  readonly ordinal: number
}

/** Longest prefix that has a list of its own. */
const LONGEST_PREFIX = 3

export function createPrefixIndex() {
  const lists = new Map<string, Entry[]>()
  return {
    add(entry: Entry): void {
      for (let length = 1; length <= Math.min(LONGEST_PREFIX, entry.text.length); length++) {
        const list = lists.get(entry.text.slice(0, length))
        if (list) list.push(entry)
        else lists.set(entry.text.slice(0, length), [entry])
      }
    },
    startingWith(prefix: string): readonly Entry[] {
      const list = lists.get(prefix.slice(0, LONGEST_PREFIX)) ?? []
      return prefix.length <= LONGEST_PREFIX ? list : list.filter(({ text }) => text.startsWith(prefix))
    },
  }
}

/** Typical length of a text. Makes scores comparable with scores of the full-text index. */
const TYPICAL_LENGTH = 8
const GROUP_PREFIX = 3

/**
 * Lists the entities of each term. Much faster than a full-text search for frequent terms. Nearly
 * all warrants have some terms in common: reading a list takes 1 ms, and the full-text index
 * hundreds of ms.
 */
export function createPostingLists() {
  const terms = createTerms()
  const weights: number[] = []
  return {
    /** Add important fields first, because a term counts only for the first field. */
    add(ordinal: number, field: Field, text: string, textTerms: readonly string[]): void {
      const position = FIELDS.length * ordinal + FIELDS.indexOf(field)
      weights[position] = (TYPICAL_LENGTH * WEIGHTS[field]) / Math.max(1, text.length)
      for (const term of new Set([...hanCharacters(text), ...textTerms])) {
        const list = terms.openList(term)
        if (list.length === 0 || Math.floor(list.at(-1)! / FIELDS.length) !== ordinal) list.push(position)
      }
    },
    /** Counts every word that starts with the term. */
    count: (term: string): number => terms.matching(term).reduce((sum, word) => sum + terms.list(word).length, 0),
    visit(term: string, visitor: (ordinal: number, field: number) => void): void {
      for (const word of terms.matching(term)) {
        for (const position of terms.list(word)) visitor(Math.floor(position / FIELDS.length), position % FIELDS.length)
      }
    },
    /** Weight of a match. Shorter texts have a higher weight. */
    weight: (ordinal: number, field: number): number => weights[FIELDS.length * ordinal + field]!,
    words: terms.words,
  }
}

export type PostingLists = ReturnType<typeof createPostingLists>

const NONE: readonly number[] = []

function createTerms() {
  const lists = new Map<string, number[]>()
  const groups = new Map<string, string[]>()
  return {
    list: (term: string): readonly number[] => lists.get(term) ?? NONE,
    openList(term: string): number[] {
      const list = lists.get(term)
      if (list) return list
      const created: number[] = []
      lists.set(term, created)
      const prefix = term.slice(0, GROUP_PREFIX)
      if (isWord(prefix)) groups.set(prefix, [...(groups.get(prefix) ?? []), term])
      return created
    },
    /**
     * A term that is a word matches all words that start with the term. Other terms match only
     * themselves.
     */
    matching: (term: string): readonly string[] =>
      isWord(term) ? (groups.get(term.slice(0, GROUP_PREFIX)) ?? []).filter(word => word.startsWith(term)) : [term],
    words: (): readonly string[] => [...groups.values()].flat().filter(isWord),
  }
}
