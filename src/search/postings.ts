import { FIELDS, type Field, WEIGHTS } from './ranking.ts'
import { hanCharacters, isWord } from './text.ts'

/** A text, and the ordinal of the entity it belongs to. */
export interface Entry {
  readonly text: string
  readonly ordinal: number
}

/**
 * Maximum length of indexed prefixes. A longer search prefix uses the list of its first characters
 * and filters it.
 */
const LONGEST_PREFIX = 3

/** Finds texts by prefix. */
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
    /** Entries whose text starts with the prefix. Empty for an empty prefix. */
    startingWith(prefix: string): readonly Entry[] {
      const list = lists.get(prefix.slice(0, LONGEST_PREFIX)) ?? []
      return prefix.length <= LONGEST_PREFIX ? list : list.filter(({ text }) => text.startsWith(prefix))
    },
  }
}

/**
 * Typical length of a text, by which scores are normalized. The scores of such a text are
 * comparable with those of the full-text index.
 */
const TYPICAL_LENGTH = 8
/** Number of first characters by which words are grouped. */
const GROUP_PREFIX = 3

/**
 * Posting lists: for each term and Chinese character, the entities and fields that contain it, in
 * order. Some terms occur in the names of nearly all warrants. Reading their posting lists takes 1
 * ms, while the full-text index takes hundreds of milliseconds.
 */
export function createPostingLists() {
  const terms = createTerms()
  const weights: number[] = []
  return {
    /**
     * Adds a text of an entity. Add the fields of an entity in order of significance, because a
     * term counts only for the first field that contains it.
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
     * Returns the number of matches of a term. An entity counts once for each of its words that
     * starts with the term.
     */
    count: (term: string): number => terms.matching(term).reduce((sum, word) => sum + terms.list(word).length, 0),
    /**
     * Visits the matches of a term. An entity that matches by several words is visited several
     * times.
     */
    visit(term: string, visitor: (ordinal: number, field: number) => void): void {
      for (const word of terms.matching(term)) {
        for (const position of terms.list(word)) visitor(Math.floor(position / FIELDS.length), position % FIELDS.length)
      }
    },
    /**
     * Weight of a match, which does not depend on how rare the term is. Matches in shorter texts
     * have a higher weight.
     */
    weight: (ordinal: number, field: number): number => weights[FIELDS.length * ordinal + field]!,
    /** Every word, for spelling correction. */
    words: terms.words,
  }
}

export type PostingLists = ReturnType<typeof createPostingLists>

const NONE: readonly number[] = []

/** Posting lists by term. Words are also grouped by their first characters, for prefix matching. */
function createTerms() {
  const lists = new Map<string, number[]>()
  const groups = new Map<string, string[]>()
  return {
    list: (term: string): readonly number[] => lists.get(term) ?? NONE,
    /** Returns the list of a term. Creates it if missing. */
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
     * Returns the indexed terms that match a term. A word matches all terms that start with it; any
     * other term matches only itself.
     */
    matching: (term: string): readonly string[] =>
      isWord(term) ? (groups.get(term.slice(0, GROUP_PREFIX)) ?? []).filter(word => word.startsWith(term)) : [term],
    words: (): readonly string[] => [...groups.values()].flat().filter(isWord),
  }
}
