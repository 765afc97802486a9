import { LRUCache } from 'lru-cache'
import { type Answered, keepable, partsOf } from './answer.ts'

/** Returns the answer of an address: the one that was made before, as long as what it is made from is the same object. */
export type KeptAnswers = (madeFrom: object, address: string, make: () => Answered<Buffer>) => Answered<Buffer>

/** A body, what is kept of it in content codings beside it, and what surrounds them. */
const bytesOf = (answer: Answered<Buffer>): number => 2 * (partsOf(answer).body as Buffer).length + 1_024

/**
 * Keeps answers, so that each is encoded, tagged and coded once for all who ask. Those asked longest ago go first; all go once they are made
 * from something else. What is said of an address without a page is made each time, since there is no end of such addresses.
 *
 * @param mostBytes of memory, about
 */
export function keepAnswers(mostBytes: number): KeptAnswers {
  const kept = new LRUCache<string, Answered<Buffer>>({ maxSize: mostBytes, sizeCalculation: bytesOf })
  let last: object | undefined
  return (madeFrom, address, make) => {
    if (last !== madeFrom) kept.clear()
    last = madeFrom
    const known = kept.get(address)
    if (known) return known
    const made = make()
    if (partsOf(made).status !== undefined) return made
    const own = keepable(made)
    kept.set(address, own)
    return own
  }
}
