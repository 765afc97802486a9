import { randomFillSync } from 'node:crypto'

/** Crockford base 32: no I, L, O, U, so ids survive being read aloud. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const CHARS = 26
const MOMENT_CHARS = 10
const POOL = 4_096

/** Two characters for every ten bits. */
const PAIRS = Array.from({ length: 1_024 }, (_, bits) => ALPHABET[bits >> 5]! + ALPHABET[bits & 31]!)

let pool = new Uint16Array(0)
let used = 0

/**
 * `<prefix>_` and 26 characters, made by us; a caller's own id is never taken over. All are random (130 bits), but a request's begin
 * with the millisecond: the ledger is in their order, and is five times cheaper to write at its end than all over.
 */
export function newId(prefix: 'req' | 'key' | 'acct' | 'ses' | 'flow' | 'code' | 'we' | 'msg'): string {
  if (used + CHARS / 2 > pool.length) {
    pool = randomFillSync(new Uint16Array(POOL / 2))
    used = 0
  }
  let id = prefix === 'req' ? `req_${momentNow()}` : `${prefix}_`
  for (const length = prefix.length + 1 + CHARS; id.length < length; used++) id += PAIRS[pool[used]! & 1_023]
  return id
}

/** The last millisecond that was written, in which more requests may come. */
let last = { ms: 0, text: '' }

function momentNow(): string {
  const ms = Date.now()
  if (ms !== last.ms) last = { ms, text: moment(ms) }
  return last.text
}

/** Sorts before every request id of that millisecond or a later one, and after all of earlier ones. */
export const firstRequestId = (ms: number): string => `req_${moment(ms)}`

/** A time as ten characters that sort as times do. */
function moment(ms: number): string {
  let text = ''
  for (let rest = ms; text.length < MOMENT_CHARS; rest = Math.floor(rest / 32)) text = ALPHABET[rest % 32] + text
  return text
}
