import simplifiedToTraditional from 'opencc-js/dict/STCharacters'

/** OpenCC's simplified characters, each with the traditional one it most often stands for. One character always folds to one. */
const TRADITIONAL: ReadonlyMap<string, string> = new Map(
  simplifiedToTraditional.split('|').map(pair => pair.split(' ') as [simplified: string, traditional: string]),
)

/** Text in comparison form: compatibility forms and case folded, simplified characters as traditional ones, 台 as 臺. */
export const foldText = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\p{Script=Han}/gu, character => TRADITIONAL.get(character) ?? character)

/** Folded text without blanks and punctuation: `foreign_net_buy` equals `Foreign net buy`. */
export const compactText = (text: string): string => foldText(text).replace(/[^\p{L}\p{N}]/gu, '')

/** Runs of Chinese characters, and runs of other letters and digits. */
const RUN = /\p{Script=Han}+|[[\p{L}\p{N}]--\p{Script=Han}]+/gv
const HAN = /^\p{Script=Han}/u

const pairs = (characters: readonly string[]): readonly string[] => characters.slice(1).map((next, at) => `${characters[at]}${next}`)

/** Terms a text is indexed by: its words and, in Chinese text, which has no blanks, every pair of adjacent characters. */
export const indexTerms = (text: string): string[] =>
  (foldText(text).match(RUN) ?? []).flatMap(run => (HAN.test(run) ? pairs([...run]) : [run]))

/** Chinese characters of a text, folded. */
export const hanCharacters = (text: string): readonly string[] => foldText(text).match(/\p{Script=Han}/gu) ?? []

/** True for a single Chinese character, which is searched by itself. */
export const isHanCharacter = (term: string): boolean => HAN.test(term) && term.length <= 2 && [...term].length === 1

/** Maximum number of terms in one query, so that none is slow. */
const MOST_TERMS = 24

/** The terms of a query, for each of its words; a hit must have all of them. Terms beyond the maximum are ignored. */
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

/** Pairs of adjacent characters are more specific than single ones, and have far shorter posting lists. */
function termsOfRun(run: string): readonly string[] {
  const characters = [...run]
  return HAN.test(run) && characters.length > 1 ? pairs(characters) : [run]
}

/** A word of letters, which a prefix finds. Digits are codes and quantities, where a prefix is something else. */
export const isWord = (term: string): boolean => term.length >= 3 && /^\p{L}+$/u.test(term) && !HAN.test(term)

/** Number of misspelt letters tolerated in a word when nothing else is found; none in a code. */
const toleratedMistakes = (term: string): number => (isWord(term) && term.length >= 5 && term.length <= 20 ? (term.length < 8 ? 1 : 2) : 0)

/** The words an index knows. */
interface Vocabulary {
  count(term: string): number
  words(): readonly string[]
}

/**
 * Corrects the spelling of a word that finds nothing: the nearest known word and, among equally near ones, the most frequent. Returns the
 * word itself where none is near.
 */
export function correctSpelling(term: string, vocabulary: Vocabulary): string {
  const most = toleratedMistakes(term)
  if (most === 0 || vocabulary.count(term) > 0) return term
  let best = { word: term, mistakes: most + 1, count: 0 }
  for (const word of vocabulary.words()) {
    if (Math.abs(word.length - term.length) > most) continue
    const [mistakes, count] = [editDistance(term, word), vocabulary.count(word)]
    if (mistakes < best.mistakes || (mistakes === best.mistakes && mistakes <= most && count > best.count)) best = { word, mistakes, count }
  }
  return best.word
}

/** Damerau-Levenshtein distance: letters inserted, deleted, replaced, or swapped with their neighbour. */
function editDistance(a: string, b: string): number {
  let [before, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? before[j - 2]! + 1 : Number.POSITIVE_INFINITY
      row.push(Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + same, swapped))
    }
    ;[before, last] = [last, row]
  }
  return last[b.length]!
}
