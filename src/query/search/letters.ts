import { FIELDS, type Field, WEIGHTS } from './field.ts'
import { lettersOf } from './terms.ts'
import type { WordHit } from './words.ts'

/**
 * Things by the Chinese characters in their texts. Some characters are in nearly every name of a warrant: lists that long are read here
 * in a millisecond, where an index of words would take forty.
 */
export function openLetters() {
  const lists = new Map<string, number[]>()
  const weights: number[] = []
  return {
    /** Notes a text of a thing. The fields of one thing come in their order, so that a character counts where it tells most. */
    add(of: number, field: Field, text: string): void {
      const at = FIELDS.length * of + FIELDS.indexOf(field)
      weights[at] = WEIGHTS[field] / Math.max(1, text.length)
      for (const letter of new Set(lettersOf(text))) {
        const list = lists.get(letter)
        if (!list) lists.set(letter, [at])
        else if (Math.floor(list.at(-1)! / FIELDS.length) !== of) list.push(at)
      }
    },
    /** How many things have the character. */
    count: (letter: string): number => lists.get(letter)?.length ?? 0,
    /** Things that have the character; those with a shorter text weigh more. */
    having: (letter: string): readonly WordHit[] =>
      (lists.get(letter) ?? []).map(at => ({
        of: Math.floor(at / FIELDS.length),
        weight: weights[at]!,
        field: FIELDS[at % FIELDS.length]!,
      })),
  }
}
