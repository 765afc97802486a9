import type { Lists } from './lists.ts'
import { mistakesIn } from './terms.ts'

/** The word that was meant by one that finds nothing: the nearest there is, of equally near ones the most frequent; itself where none is near. */
export function wordMeant(term: string, lists: Lists): string {
  const most = mistakesIn(term)
  if (most === 0 || lists.count(term) > 0) return term
  let meant = { word: term, mistakes: most + 1, count: 0 }
  for (const word of lists.words()) {
    if (Math.abs(word.length - term.length) > most) continue
    const [mistakes, count] = [mistakesBetween(term, word), lists.count(word)]
    if (mistakes < meant.mistakes || (mistakes === meant.mistakes && mistakes <= most && count > meant.count))
      meant = { word, mistakes, count }
  }
  return meant.word
}

/** Letters left out, added, taken for another one, or swapped with the next one, fewest. */
function mistakesBetween(a: string, b: string): number {
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
