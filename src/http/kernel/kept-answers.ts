import { LRUCache } from 'lru-cache'
import { type Answered, keepable, partsOf } from './answer.ts'

/** Returns the response of an address: the cached one while its source is the same object. */
export type KeptAnswers = (madeFrom: object, address: string, make: () => Answered<Buffer>) => Answered<Buffer>

/** A body, its cached codings, and its surrounding parts. */
const bytesOf = (answer: Answered<Buffer>): number => 2 * (partsOf(answer).body as Buffer).length + 1_024

/**
 * Caches responses, so that each is encoded, tagged and coded once for all callers. The least
 * recently used are evicted first; all are evicted if their source changes. Responses to addresses
 * without a page are not cached, because such addresses are unbounded.
 *
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
