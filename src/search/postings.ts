import { FIELDS, type Field, WEIGHTS } from './ranking.ts'
import { hanCharacters, isWord } from './text.ts'

/** A text, and the ordinal of the entity it belongs to. */
export interface Entry {
  readonly text: string
  readonly ordinal: number
}

/** Length of the longest prefix that has a list of its own; longer prefixes are searched in that list. */
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
    /** Entries whose text starts with the prefix or equals it; none for an empty prefix. */
    startingWith(prefix: string): readonly Entry[] {
      const list = lists.get(prefix.slice(0, LONGEST_PREFIX)) ?? []
      return prefix.length <= LONGEST_PREFIX ? list : list.filter(({ text }) => text.startsWith(prefix))
    },
  }
}

/** Length of a typical text: in one that long, a term weighs about as much as the full-text index says. */
const TYPICAL_LENGTH = 8
/** Length of the prefix by which words are grouped. */
const GROUP_PREFIX = 3

/**
 * Posting lists: for every term and Chinese character, the entities and fields that contain it, in order. Some terms occur in nearly every
 * warrant's name; such a list is read here in a millisecond, where the full-text index takes hundreds.
 */
export function createPostingLists() {
  const terms = createTerms()
  const weights: number[] = []
  return {
    /** Adds a text of an entity. Fields of one entity must come in order, so that a term counts where it is most significant. */
    add(ordinal: number, field: Field, text: string, textTerms: readonly string[]): void {
      const at = FIELDS.length * ordinal + FIELDS.indexOf(field)
      weights[at] = (TYPICAL_LENGTH * WEIGHTS[field]) / Math.max(1, text.length)
      for (const term of new Set([...hanCharacters(text), ...textTerms])) {
        const list = terms.openList(term)
        if (list.length === 0 || Math.floor(list.at(-1)! / FIELDS.length) !== ordinal) list.push(at)
      }
    },
    /** Number of entities a term finds, counted once for each word it is a prefix of. */
    count: (term: string): number => terms.matching(term).reduce((sum, word) => sum + terms.list(word).length, 0),
    /** Visits what a term finds; an entity found by several words is visited several times. */
    visit(term: string, each: (ordinal: number, field: number) => void): void {
      for (const word of terms.matching(term)) {
        for (const at of terms.list(word)) each(Math.floor(at / FIELDS.length), at % FIELDS.length)
      }
    },
    /** Weight of a term there if all terms were equally rare: greater in a shorter text. */
    weight: (ordinal: number, field: number): number => weights[FIELDS.length * ordinal + field]!,
    /** Every word, for spelling correction. */
    words: terms.words,
  }
}

export type PostingLists = ReturnType<typeof createPostingLists>

const NONE: readonly number[] = []

/** Terms and their lists. Words are also grouped by prefix, together with other terms that share it. */
function createTerms() {
  const lists = new Map<string, number[]>()
  const groups = new Map<string, string[]>()
  return {
    list: (term: string): readonly number[] => lists.get(term) ?? NONE,
    /** The list of a term; creates an empty one where there is none. */
    openList(term: string): number[] {
      const list = lists.get(term)
      if (list) return list
      const created: number[] = []
      lists.set(term, created)
      const prefix = term.slice(0, GROUP_PREFIX)
      if (isWord(prefix)) groups.set(prefix, [...(groups.get(prefix) ?? []), term])
      return created
    },
    /** Terms that match a term: for a word all terms it is a prefix of, otherwise the term itself. */
    matching: (term: string): readonly string[] =>
      isWord(term) ? (groups.get(term.slice(0, GROUP_PREFIX)) ?? []).filter(word => word.startsWith(term)) : [term],
    words: (): readonly string[] => [...groups.values()].flat().filter(isWord),
  }
}
