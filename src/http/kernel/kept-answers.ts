import { LRUCache } from 'lru-cache'
import { type Answered, keepable, partsOf } from './answer.ts'

/**
 * Returns the cached response of an address. Makes a new response if `madeFrom` is another object
 * than before.
 */
export type KeptAnswers = (madeFrom: object, address: string, make: () => Answered<Buffer>) => Answered<Buffer>

/** Approximate memory. Includes compressed forms and headers. */
const bytesOf = (answer: Answered<Buffer>): number => 2 * (partsOf(answer).body as Buffer).length + 1_024

/**
 * Caches responses, so that each is encoded and compressed only once. Unknown addresses must not be
 * cached, because their number is unlimited.
 * @param mostBytes approximate memory limit
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
