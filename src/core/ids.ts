import { randomBytes } from 'node:crypto'

/** Crockford base 32: no I, L, O, U, so ids survive being read aloud. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const CHARS = 26
const POOL = 4_096

let pool = Buffer.alloc(0)
let used = 0

/** `<prefix>_` and 26 random characters (130 bits). Made by us; a caller's own id is never taken over. */
export function newId(prefix: 'req' | 'key' | 'acct' | 'ses' | 'flow'): string {
  if (used + CHARS > pool.length) {
    pool = randomBytes(POOL)
    used = 0
  }
  let id = `${prefix}_`
  for (let end = used + CHARS; used < end; used++) id += ALPHABET[pool[used]! & 31]
  return id
}
