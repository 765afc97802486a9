import { foldText } from './fold.ts'

/** Runs of Chinese characters, and runs of other letters and digits. */
const RUN = /\p{Script=Han}+|[[\p{L}\p{N}]--\p{Script=Han}]+/gv
const HAN = /^\p{Script=Han}/u

const pairs = (letters: readonly string[]): readonly string[] => letters.slice(1).map((letter, at) => `${letters[at]}${letter}`)

/** Terms a text is found by: words, and of Chinese, which has no blanks, every two characters that follow each other. */
export const indexTerms = (text: string): string[] =>
  (foldText(text).match(RUN) ?? []).flatMap(run => (HAN.test(run) ? pairs([...run]) : [run]))

/** Chinese characters of a text. */
export const lettersOf = (text: string): readonly string[] => foldText(text).match(/\p{Script=Han}/gu) ?? []

/** True for a single Chinese character, which is looked for by itself. */
export const isLetter = (term: string): boolean => HAN.test(term) && term.length <= 2 && [...term].length === 1

/** What is asked for in one query: for each word between blanks, the terms a hit has to have. Most terms first come, so that none is slow. */
export function queryTerms(text: string): readonly (readonly string[])[] {
  let left = MOST_TERMS
  return foldText(text)
    .split(/\s+/)
    .map(word => {
      const terms = [...new Set((word.match(RUN) ?? []).flatMap(termsOfRun))].slice(0, left)
      left -= terms.length
      return terms
    })
    .filter(terms => terms.length > 0)
}

const MOST_TERMS = 24

/** Two characters that follow each other say more than each alone, and have far shorter lists. */
function termsOfRun(run: string): readonly string[] {
  const letters = [...run]
  return HAN.test(run) && letters.length > 1 ? pairs(letters) : [run]
}

/** A word of letters, whose beginning finds it. Digits are codes and quantities: half of one is another one. */
export const isWord = (term: string): boolean => term.length >= 3 && /^\p{L}+$/u.test(term) && !HAN.test(term)

/** Letters one may have mistyped in a word, when nothing else is found; never in a code. */
export const mistakesIn = (term: string): number => (isWord(term) && term.length >= 5 && term.length <= 20 ? (term.length < 8 ? 1 : 2) : 0)
