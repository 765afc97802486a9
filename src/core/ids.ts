import { randomFillSync } from 'node:crypto'

/** Crockford base 32. Omits I, L, O and U, because people confuse them with other characters. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const CHARS = 26
const TIME_CHARS = 10
const POOL_BYTES = 4_096

const PAIRS = Array.from({ length: 1_024 }, (_, bits) => ALPHABET[bits >> 5]! + ALPHABET[bits & 31]!)

let pool = new Uint16Array(0)
let used = 0

/**
 * Returns a prefix and 26 random characters (130 bits). In request ids, the first ten characters
 * encode the time in ms instead, so that new ids sort last. The ledger can then append rows, which
 * is five times cheaper than inserting rows.
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

/** Cached, because many ids are created in the same millisecond. */
let last = { ms: 0, text: '' }

function currentTimeText(): string {
  const ms = Date.now()
  if (ms !== last.ms) last = { ms, text: timeText(ms) }
  return last.text
}

/** All ids of requests from this time on are greater than the result. */
export const firstRequestId = (ms: number): string => `req_${timeText(ms)}`

/** Encodes a time as ten characters that sort chronologically. */
function timeText(ms: number): string {
  let text = ''
  for (let rest = ms; text.length < TIME_CHARS; rest = Math.floor(rest / 32)) text = ALPHABET[rest % 32] + text
  return text
}
