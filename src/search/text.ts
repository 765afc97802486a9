import simplifiedToTraditional from 'opencc-js/dict/STCharacters'

/** Traditional character for each simplified character, from OpenCC. */
const TRADITIONAL: ReadonlyMap<string, string> = new Map(
  simplifiedToTraditional.split('|').map(pair => pair.split(' ') as [simplified: string, traditional: string]),
)

/** Applies NFKC, lower case and traditional characters, and replaces 台 by 臺. */
export const foldText = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\p{Script=Han}/gu, character => TRADITIONAL.get(character) ?? character)

/** Ignores case, spaces and punctuation: `foreign_net_buy` equals `Foreign net buy`. */
export const compactText = (text: string): string => foldText(text).replace(/[^\p{L}\p{N}]/gu, '')

const RUN = /\p{Script=Han}+|[[\p{L}\p{N}]--\p{Script=Han}]+/gv
const HAN = /^\p{Script=Han}/u

const pairs = (characters: readonly string[]): readonly string[] => characters.slice(1).map((next, index) => `${characters[index]}${next}`)

/** Returns words. For Chinese text, returns pairs of adjacent characters. */
export const indexTerms = (text: string): string[] =>
  (foldText(text).match(RUN) ?? []).flatMap(run => (HAN.test(run) ? pairs([...run]) : [run]))

export const hanCharacters = (text: string): readonly string[] => foldText(text).match(/\p{Script=Han}/gu) ?? []

export const isHanCharacter = (term: string): boolean => HAN.test(term) && term.length <= 2 && [...term].length === 1

const MOST_TERMS = 24

/**
 * Splits a query into words, and each word into terms. Ignores terms after the first `MOST_TERMS`.
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

/** Splits Chinese text into pairs of characters. Pairs are rarer than single characters. */
function termsOfRun(run: string): readonly string[] {
  const characters = [...run]
  return HAN.test(run) && characters.length > 1 ? pairs(characters) : [run]
}

/** True for a term that also matches longer words. Terms with digits must match completely. */
export const isWord = (term: string): boolean => term.length >= 3 && /^\p{L}+$/u.test(term) && !HAN.test(term)

/** Maximum edit distance of a correction. 0 for codes. */
const maxMistakesOf = (term: string): number => (isWord(term) && term.length >= 5 && term.length <= 20 ? (term.length < 8 ? 1 : 2) : 0)

interface Vocabulary {
  count(term: string): number
  words(): readonly string[]
}

/** Returns the most similar word in the index. Unchanged if no word is similar. */
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

/** Damerau-Levenshtein distance. */
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
