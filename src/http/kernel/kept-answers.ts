import { LRUCache } from 'lru-cache'
import { type Answered, keepable, partsOf } from './answer.ts'

/**
 * Returns the cached response of an address. Creates the response if there is none, or if the
 * cached one was created from another source object.
 */
export type KeptAnswers = (madeFrom: object, address: string, make: () => Answered<Buffer>) => Answered<Buffer>

/** Returns the approximate memory of a cached response: body, compressed forms and headers. */
const bytesOf = (answer: Answered<Buffer>): number => 2 * (partsOf(answer).body as Buffer).length + 1_024

/**
 * Caches responses, so that each is encoded, tagged and compressed once for all callers. The least
 * recently used responses are evicted first. When the source object changes, all responses are
 * evicted. Responses to unknown addresses are not cached, because there is no limit to their
 * number.
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
