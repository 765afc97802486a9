import simplifiedToTraditional from 'opencc-js/dict/STCharacters'

/** Maps each simplified character to its most frequent traditional character. From OpenCC. */
const TRADITIONAL: ReadonlyMap<string, string> = new Map(
  simplifiedToTraditional.split('|').map(pair => pair.split(' ') as [simplified: string, traditional: string]),
)

/**
 * Normalizes a text for comparison: applies NFKC, lower case and traditional characters, and
 * replaces 台 by 臺.
 */
export const foldText = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\p{Script=Han}/gu, character => TRADITIONAL.get(character) ?? character)

/**
 * Normalizes a text and removes spaces and punctuation. For example, `foreign_net_buy` and `Foreign
 * net buy` give the same result.
 */
export const compactText = (text: string): string => foldText(text).replace(/[^\p{L}\p{N}]/gu, '')

/** Matches runs of Chinese characters, and runs of other letters and digits. */
const RUN = /\p{Script=Han}+|[[\p{L}\p{N}]--\p{Script=Han}]+/gv
const HAN = /^\p{Script=Han}/u

const pairs = (characters: readonly string[]): readonly string[] => characters.slice(1).map((next, index) => `${characters[index]}${next}`)

/**
 * Returns the terms under which a text is indexed. Terms are words. In Chinese text, terms are
 * pairs of adjacent characters.
 */
export const indexTerms = (text: string): string[] =>
  (foldText(text).match(RUN) ?? []).flatMap(run => (HAN.test(run) ? pairs([...run]) : [run]))

/** Returns the Chinese characters of a text, normalized. */
export const hanCharacters = (text: string): readonly string[] => foldText(text).match(/\p{Script=Han}/gu) ?? []

/** True if a term consists of a single Chinese character. */
export const isHanCharacter = (term: string): boolean => HAN.test(term) && term.length <= 2 && [...term].length === 1

/** Maximum number of terms in a query. Limits the time that a query takes. */
const MOST_TERMS = 24

/**
 * Splits a query into words, and each word into terms. A word matches an entity if all its terms
 * match. Terms after the first `MOST_TERMS` are ignored.
 */
export function queryTerms(text: string): readonly (readonly string[])[] {
  let remaining = MOST_TERMS
  return foldText(text)
    .split(/\s+/)
    .map(word => {
      const terms = [...new Set((word.match(RUN) ?? []).flatMap(termsOfRun))].slice(0, remaining)
      remaining -= terms.length
      return terms
    })
    .filter(terms => terms.length > 0)
}

/**
 * Splits a run of Chinese characters into pairs of adjacent characters. Pairs are more specific
 * than single characters and have much shorter posting lists. Any other run is returned unchanged.
 */
function termsOfRun(run: string): readonly string[] {
  const characters = [...run]
  return HAN.test(run) && characters.length > 1 ? pairs(characters) : [run]
}

/**
 * True if a term is a word and therefore also matches longer words that start with it. Terms with
 * digits are codes or quantities, which must match completely.
 */
export const isWord = (term: string): boolean => term.length >= 3 && /^\p{L}+$/u.test(term) && !HAN.test(term)

/**
 * Returns the maximum number of mistakes (edit distance) that spelling correction accepts. 0 for
 * codes.
 */
const maxMistakesOf = (term: string): number => (isWord(term) && term.length >= 5 && term.length <= 20 ? (term.length < 8 ? 1 : 2) : 0)

interface Vocabulary {
  count(term: string): number
  words(): readonly string[]
}

/**
 * Corrects the spelling of a word that has no matches. Returns the most similar indexed word. If
 * several words are equally similar, the most frequent one is returned. If no word is similar
 * enough, the word is returned unchanged.
 */
export function correctSpelling(term: string, vocabulary: Vocabulary): string {
  const maxMistakes = maxMistakesOf(term)
  if (maxMistakes === 0 || vocabulary.count(term) > 0) return term
  let best = { word: term, mistakes: maxMistakes + 1, count: 0 }
  for (const word of vocabulary.words()) {
    if (Math.abs(word.length - term.length) > maxMistakes) continue
    const [mistakes, count] = [editDistance(term, word), vocabulary.count(word)]
    if (mistakes < best.mistakes || (mistakes === best.mistakes && mistakes <= maxMistakes && count > best.count))
      best = { word, mistakes, count }
  }
  return best.word
}

/**
 * Returns the Damerau-Levenshtein distance: the number of letters to insert, delete, replace, or
 * swap with the next letter.
 */
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? before[j - 2]! + 1 : Number.POSITIVE_INFINITY
      row.push(Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + same, swapped))
    }
    before = last
    last = row
  }
  return last[b.length]!
}
