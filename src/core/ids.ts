import { randomFillSync } from 'node:crypto'

/** Alphabet of Crockford base 32. It omits I, L, O and U, which are easily confused. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const CHARS = 26
const TIME_CHARS = 10
const POOL_BYTES = 4_096

/** Two characters for each value of ten bits. The value is the index. */
const PAIRS = Array.from({ length: 1_024 }, (_, bits) => ALPHABET[bits >> 5]! + ALPHABET[bits & 31]!)

let pool = new Uint16Array(0)
let used = 0

/**
 * Creates an id from a prefix and 26 random characters (130 bits). The id of a request starts with
 * the time in ms instead, so that new ids sort last. The ledger is ordered by request id, and
 * appending is five times cheaper than inserting at random places.
 */
export function newId(prefix: 'req' | 'key' | 'acct' | 'ses' | 'flow' | 'code' | 'we' | 'msg'): string {
  if (used + CHARS / 2 > pool.length) {
    pool = randomFillSync(new Uint16Array(POOL_BYTES / 2))
    used = 0
  }
  let id = prefix === 'req' ? `req_${currentTimeText()}` : `${prefix}_`
  for (const length = prefix.length + 1 + CHARS; id.length < length; used++) id += PAIRS[pool[used]! & 1_023]
  return id
}

/** The latest time and its encoded text, cached because many ids are created in the same ms. */
let last = { ms: 0, text: '' }

function currentTimeText(): string {
  const ms = Date.now()
  if (ms !== last.ms) last = { ms, text: timeText(ms) }
  return last.text
}

/**
 * Returns the lower bound of request ids that are created at a time or later. Ids that were created
 * earlier sort before it.
 */
export const firstRequestId = (ms: number): string => `req_${timeText(ms)}`

/** Encodes a time as ten characters that sort chronologically. */
function timeText(ms: number): string {
  let text = ''
  for (let rest = ms; text.length < TIME_CHARS; rest = Math.floor(rest / 32)) text = ALPHABET[rest % 32] + text
  return text
}
