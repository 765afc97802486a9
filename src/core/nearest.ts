import { closest, distance } from 'fastest-levenshtein'

/** The known word a mistyped one probably meant, or undefined when none is within two edits or a third of its length. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (known.length === 0 || word.length > 64) return undefined
  const guess = closest(word, [...known])
  return distance(word, guess) <= Math.max(2, Math.floor(guess.length / 3)) ? guess : undefined
}
