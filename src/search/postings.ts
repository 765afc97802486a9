import { FIELDS, type Field, WEIGHTS } from './ranking.ts'
import { hanCharacters, isWord } from './text.ts'

/** A searchable text, and the ordinal (position in the index) of its entity. */
export interface Entry {
  readonly text: string
  readonly ordinal: number
}

/**
 * Maximum length of a prefix that has its own list. For a longer prefix, the list of its first
 * characters is filtered.
 */
const LONGEST_PREFIX = 3

/** Creates an index that finds texts by their first characters. */
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
    /** Returns the entries whose text starts with the prefix. Empty for an empty prefix. */
    startingWith(prefix: string): readonly Entry[] {
      const list = lists.get(prefix.slice(0, LONGEST_PREFIX)) ?? []
      return prefix.length <= LONGEST_PREFIX ? list : list.filter(({ text }) => text.startsWith(prefix))
    },
  }
}

/**
 * Typical length of a text, to which scores are normalized. The scores of such a text are
 * comparable with scores of the full-text index.
 */
const TYPICAL_LENGTH = 8
/** Number of characters at the start of a word that determine its group. */
const GROUP_PREFIX = 3

/**
 * Creates the posting lists. For each term and each Chinese character, a list contains the entities
 * and fields in which it occurs, in order. Posting lists are needed for terms that occur in the
 * names of nearly all warrants: reading such a list takes 1 ms, whereas the full-text index takes
 * hundreds of ms.
 */
export function createPostingLists() {
  const terms = createTerms()
  const weights: number[] = []
  return {
    /**
     * Adds a text of an entity. The fields of an entity must be added in order of significance,
     * because a term counts only for the first field that contains it.
     */
    add(ordinal: number, field: Field, text: string, textTerms: readonly string[]): void {
      const position = FIELDS.length * ordinal + FIELDS.indexOf(field)
      weights[position] = (TYPICAL_LENGTH * WEIGHTS[field]) / Math.max(1, text.length)
      for (const term of new Set([...hanCharacters(text), ...textTerms])) {
        const list = terms.openList(term)
        if (list.length === 0 || Math.floor(list.at(-1)! / FIELDS.length) !== ordinal) list.push(position)
      }
    },
    /**
     * Returns the number of matches of a term. If several words of an entity start with the term,
     * each of these words counts.
     */
    count: (term: string): number => terms.matching(term).reduce((sum, word) => sum + terms.list(word).length, 0),
    /** Calls `visitor` once for each matching word of each entity. */
    visit(term: string, visitor: (ordinal: number, field: number) => void): void {
      for (const word of terms.matching(term)) {
        for (const position of terms.list(word)) visitor(Math.floor(position / FIELDS.length), position % FIELDS.length)
      }
    },
    /**
     * Returns the weight of a match. A match in a short text has a higher weight. The frequency of
     * the term has no effect.
     */
    weight: (ordinal: number, field: number): number => weights[FIELDS.length * ordinal + field]!,
    words: terms.words,
  }
}

export type PostingLists = ReturnType<typeof createPostingLists>

const NONE: readonly number[] = []

/**
 * Creates a map from terms to posting lists. Words are also grouped by their first characters, so
 * that words with a prefix can be found.
 */
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
     * Returns the indexed terms that match a search term. If the search term is a word, it matches
     * all words that start with it. Any other search term matches only itself.
     */
    matching: (term: string): readonly string[] =>
      isWord(term) ? (groups.get(term.slice(0, GROUP_PREFIX)) ?? []).filter(word => word.startsWith(term)) : [term],
    words: (): readonly string[] => [...groups.values()].flat().filter(isWord),
  }
}
