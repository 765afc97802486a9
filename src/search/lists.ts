import { FIELDS, type Field, WEIGHTS } from './field.ts'
import { isWord, lettersOf } from './terms.ts'

/** Where a term was found: the number of the thing, and of the field. */
type Take = (of: number, field: number) => void

/** Characters of a usual text: in one that long a term weighs about what the index of words would say. */
const USUAL = 8
/** Letters of a word by which those that begin alike are kept together. */
const ALIKE = 3

/**
 * For every term and Chinese character, the things that have it in their texts, in order. Some are in nearly every name of a warrant:
 * a list that long is read here in a millisecond, where an index of words takes hundreds.
 */
export function openLists() {
  const terms = openTerms()
  const weights: number[] = []
  return {
    /** Notes a text of a thing. The fields of one thing come in their order, so that a term counts where it tells most. */
    add(of: number, field: Field, text: string, found: readonly string[]): void {
      const at = FIELDS.length * of + FIELDS.indexOf(field)
      weights[at] = (USUAL * WEIGHTS[field]) / Math.max(1, text.length)
      for (const term of new Set([...lettersOf(text), ...found])) {
        const list = terms.begun(term)
        if (list.length === 0 || Math.floor(list.at(-1)! / FIELDS.length) !== of) list.push(at)
      }
    },
    /** How many things a term finds, counted once for each word it is the beginning of. */
    count: (term: string): number => terms.foundBy(term).reduce((sum, word) => sum + terms.list(word).length, 0),
    /** Hands over what a term finds; what it finds by several words, several times. */
    each(term: string, take: Take): void {
      for (const word of terms.foundBy(term)) {
        for (const at of terms.list(word)) take(Math.floor(at / FIELDS.length), at % FIELDS.length)
      }
    },
    /** What a term weighs there, were all equally rare: more in a shorter text. */
    weight: (of: number, field: number): number => weights[FIELDS.length * of + field]!,
    /** Every word of letters, for those that were mistyped. */
    words: terms.words,
  }
}

const NONE: readonly number[] = []

/** Terms and their lists. Words of letters are kept by how they begin, with other terms that begin alike. */
function openTerms() {
  const lists = new Map<string, number[]>()
  const alike = new Map<string, string[]>()
  return {
    list: (term: string): readonly number[] => lists.get(term) ?? NONE,
    /** The list of a term, begun where there is none. */
    begun(term: string): number[] {
      const list = lists.get(term)
      if (list) return list
      const fresh: number[] = []
      lists.set(term, fresh)
      const beginning = term.slice(0, ALIKE)
      if (isWord(beginning)) alike.set(beginning, [...(alike.get(beginning) ?? []), term])
      return fresh
    },
    /** Terms that are found by a term: a word finds those it is the beginning of. */
    foundBy: (term: string): readonly string[] =>
      isWord(term) ? (alike.get(term.slice(0, ALIKE)) ?? []).filter(word => word.startsWith(term)) : [term],
    words: (): readonly string[] => [...alike.values()].flat().filter(isWord),
  }
}

export type Lists = ReturnType<typeof openLists>
